import type { Step } from './contract.ts'
import { objectiveOf } from './default.ts'
import { computedHash } from './interpret.ts'

/** Passes every output that the prompt lists. Nothing is judged, and the texts say that it is simulated. */
export function defaultVerification(prompt: string): Step[] {
  const checked = checkedOutputs(prompt)
  return [
    { say: 'I am a simulated verifier: no model is called, and every output passes.' },
    {
      report: {
        status: 'done',
        summary: 'All reported outputs exist (simulated).',
        outputs: [],
        verdict: { verdict: 'pass', checked, missing_evidence: [], issues: [], notes: 'simulated' },
        via: 'http',
      },
    },
  ]
}

/** Returns the entries of a verdict for the outputs that a verifier's prompt lists; their hashes are computed later. */
export function checkedOutputs(prompt: string): readonly Readonly<Record<string, string>>[] {
  const outputs = outputsIn(prompt)
  return outputs.length === 0 ? [{ what: 'the report' }] : outputs.map((path) => ({ path, sha256: computedHash }))
}

/** Returns the outputs that a verifier's prompt lists. */
export function outputsIn(prompt: string): string[] {
  const section = /^### Outputs\n\n((?:- .*\n?)*)/m.exec(prompt)?.[1] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('- ') && line !== '- none')
    .map((line) => line.slice(2))
}

/** Plans the goal as one brief. */
export const defaultPlan = (prompt: string): Step[] => [
  { say: 'I am a simulated planner: the goal becomes one brief.' },
  {
    report: {
      status: 'done',
      summary: 'One brief (simulated).',
      outputs: [],
      plan: [{ key: 'main', objective: objectiveOf(prompt), after: [] }],
      via: 'http',
    },
  },
]
