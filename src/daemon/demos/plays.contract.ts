import { CreateRun } from '../../work/runs/contract.ts'
import type { DemoProfile } from './contract.ts'

/** A run of one agent. Its first attempt omits a file that the evidence requires. */
export const directDemo: CreateRun = CreateRun.parse({
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

const goals: Readonly<Record<DemoProfile, string>> = {
  full: 'Build a webhook ingestion system',
  medium: 'Limit how often a sender may call the webhook endpoint',
  simple: 'Compare webhook signatures in constant time',
}

/**
 * Returns a tiered run with as many tiers as its goal needs. It uses the default team and ignores the team file of this
 * home.
 */
export const tieredDemo = (profile: DemoProfile, repo: string | null): CreateRun =>
  CreateRun.parse({
    goal: goals[profile],
    playbook: 'tiered',
    runtime: 'scripted',
    runtimeOptions: { scenario: `tiered-${profile}` },
    team: '{}',
    ...(repo === null ? {} : { repo }),
  })
