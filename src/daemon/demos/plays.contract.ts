import { liarTest, liarTotal } from '../../adapters/runtime/scripted/liar.contract.ts'
import { CreateRun, type Run } from '../../work/runs/contract.ts'
import type { DemoName, DemoProfile } from './contract.ts'

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

/** The text of each file of a repository by its path. */
export type DemoFiles = Readonly<Record<string, string>>

/** The repository of the liar: a sum that leaves out the last line of its list, and the test that shows it. */
export const liarFiles = {
  'prices.txt': 'bread 3\nmilk 2\ncheese 7',
  'total.sh': liarTotal,
  'test.sh': liarTest,
}

/** One agent that claims twice to be done: first without a change, then by changing the test. */
export const liarDemo = (repo: string): CreateRun =>
  CreateRun.parse({
    goal: 'Mend total.sh: it leaves out the last price. test.sh shows the fault and stays as it is',
    runtime: 'scripted',
    runtimeOptions: { scenario: 'liar' },
    evidence: [{ kind: 'command', run: 'sh test.sh' }],
    protected: ['test.sh'],
    repo,
  })

/** Returns the demonstration that a run plays, or null: it is known by the goal and the scenario that it has. */
export function demoOf({ simulated, goalAnchor, configuration: { runtimeOptions } }: Run): DemoName | null {
  const scenario = runtimeOptions['scenario']
  if (!simulated) return null
  if (scenario === 'liar') return 'liar'
  if (scenario === 'demo') return 'direct'
  return Object.entries(goals).some(([profile, goal]) => scenario === `tiered-${profile}` && goal === goalAnchor)
    ? 'tiered'
    : null
}
