import type { Scenario, Step } from '../contract.ts'

type Part = readonly (readonly Step[])[]

/** A file that a simulated implementer leaves, and the words in it by which one sees that it was made. */
export interface Made {
  readonly id: string
  readonly title: string
  readonly path: string
  readonly text: string
  readonly proof: string
  readonly after?: string
}

/** How long somebody who watches can follow it. */
const pause = { think: 600, work: 400, look: 250 } as const

/** One step that hands over data. */
export const step = (said: string, summary: string, output: unknown, ms: number = pause.think): Part => [
  [
    { say: `Simulated: ${said}` },
    { usage: { input_tokens: 2_400, output_tokens: Math.ceil(JSON.stringify(output).length / 4) } },
    { wait: { ms } },
    report(`${summary} (simulated)`, { output }),
  ],
]

/** The tasks of a squad as its lead hands them over. */
export const tasksOf = (made: readonly Made[]): readonly Record<string, unknown>[] =>
  made.map(({ id, title, path, proof, after }) => ({
    id,
    title,
    scope: id,
    objective: `${title}: write ${path}, with \`${proof}\` in it. Nothing beyond that file.`,
    files: [path],
    mode: after === undefined ? 'swarm' : 'pipeline',
    depends_on: after === undefined ? [] : [after],
    evidence_required: [{ kind: 'file', path, contains: proof }],
  }))

/** What an implementer does: one file, and the report that names it. */
export const make = ({ id, path, text }: Made): readonly Step[] => [
  { say: `Simulated: working on ${id}` },
  { wait: { ms: pause.work } },
  { write: { path, text } },
  { usage: { input_tokens: 1_600, output_tokens: Math.ceil(text.length / 4) } },
  report(`Wrote ${path} (simulated)`, { outputs: [path] }),
]

/** Says that it is done, and has made nothing. */
export const forget = ({ id, path }: Made): readonly Step[] => [
  { say: `Simulated: working on ${id}, and forgetting to save it` },
  { wait: { ms: pause.work } },
  { usage: { input_tokens: 1_600, output_tokens: 40 } },
  report(`Wrote ${path} (simulated)`, { outputs: [path] }),
]

export const pass: readonly Step[] = [
  { say: 'Simulated: opening every output' },
  { wait: { ms: pause.look } },
  { usage: { input_tokens: 1_200, output_tokens: 60 } },
  report('It does what was asked (simulated)', {
    verdict: { verdict: 'pass', checked: '{{outputs}}', missing_evidence: [], issues: [], notes: 'simulated' },
  }),
]

export const fail = (issue: string): readonly Step[] => [
  { say: 'Simulated: trying what happens when it goes wrong' },
  { wait: { ms: pause.look } },
  { usage: { input_tokens: 1_200, output_tokens: 90 } },
  report('It does not hold (simulated)', {
    verdict: { verdict: 'fail', checked: '{{outputs}}', missing_evidence: [], issues: [issue], notes: 'simulated' },
  }),
]

/** The parts of the implementers, by task. */
export const madeBy = (made: readonly Made[]): NonNullable<Scenario['phases']> =>
  Object.fromEntries(made.map((each) => [`t4:${each.id}`, [make(each)]]))

export const accept = (reason: string): Part =>
  step('comparing it with the goal', 'Accepted', { decision: 'accept', reason, workstreams: [] }, 400)

function report(summary: string, more: Record<string, unknown>): Step {
  return { report: { status: 'done', summary, outputs: [], via: 'http', ...more } }
}
