import type { Step } from './contract.ts'
import { objectiveOf } from './default.ts'

/** Passes what it was told to look at. Nobody has thought about it, and it says so. */
export function verification(prompt: string): Step[] {
  const outputs = outputsIn(prompt)
  const checked = outputs.length === 0 ? ['the report'] : outputs.map((path) => `${path} is there`)
  return [
    { say: 'I am a simulated verifier: no model is asked, and I pass what is there.' },
    {
      report: {
        status: 'done',
        summary: 'Everything that was reported is there (simulated).',
        outputs: [],
        verdict: { verdict: 'pass', checked, missing_evidence: [], issues: [], notes: 'simulated' },
        via: 'http',
      },
    },
  ]
}

/** What a verifier is told to look at. */
export function outputsIn(prompt: string): string[] {
  const section = /^### Outputs\n\n((?:- .*\n?)*)/m.exec(prompt)?.[1] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('- ') && line !== '- none')
    .map((line) => line.slice(2))
}

/** The goal as one brief. */
export const onePlan = (prompt: string): Step[] => [
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
