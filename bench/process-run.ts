import { rmSync } from 'node:fs'

import { startDaemon } from '../src/daemon/start.ts'
import { operatorPersona } from '../src/kernel/ids.ts'
import { freshFolder } from './daemon-process.ts'
import { eventsPerBrief, runOf, stepsOf } from './engine-store.ts'

/** Plays the same scenario with real processes under a whole daemon; returns the number of events per brief. */
export async function eventsOfProcessRun(briefs = 3): Promise<number> {
  const home = freshFolder()
  // The engine beside it has no verifiers either; a daemon would add one to each brief.
  const run = { ...runOf(briefs, (path) => ({ scenario: { steps: stepsOf(path) } })), verify: 'none' as const }
  const daemon = await startDaemon({ env: { ...process.env, AGENCY_HOME: home }, flags: { port: '0' } })
  try {
    const { id } = await daemon.agency.runs.create({ kind: 'operator', personaId: operatorPersona }, run)
    const signal = new AbortController().signal
    const until = async (): Promise<boolean> => (await daemon.agency.runs.show(id)).endedAt !== null
    for await (const _ of daemon.feed.follow({ stream: `run:${id}`, after: 0, signal, until }));
    return await eventsPerBrief(daemon.db)
  } finally {
    await daemon.stop()
    rmSync(home, { recursive: true, force: true })
  }
}
