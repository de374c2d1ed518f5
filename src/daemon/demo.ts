import type { Db } from '../db/port.ts'
import type { Actor } from '../kernel/actor.ts'
import { CreateRun, type Run } from '../work/runs/contract.ts'
import type { Runs } from '../work/runs/service.ts'

/** Kept for ever, unlike the keys of requests: an installation plays the demonstration once in its life. */
export const demoKey = 'demo:direct'

export const demo = CreateRun.parse({
  goal: 'Write a haiku about rivers, with a page that shows it',
  runtime: 'scripted',
  runtimeOptions: { scenario: 'demo' },
  evidence: [
    { kind: 'file', path: 'poem.txt', minBytes: 20 },
    { kind: 'command', run: 'test "$(grep -c . poem.txt)" -eq 3' },
    { kind: 'file', path: 'index.html', contains: '<pre>' },
    { kind: 'artifact' },
  ],
})

/** A small simulated mission, so that a newcomer sees the whole thing alive. Killed half-way, it goes on at the next start. */
export const playDemo = (db: Db, runs: Runs, by: Actor): Promise<Run> =>
  db.once(demoKey, 'demo', () => runs.create(by, demo))
