import type { Scenario, Step } from '../contract.ts'

type Attempts = readonly (readonly Step[])[]

/** A task whose simulated implementer writes one file; `proof` is the text in it that the evidence requires. */
export interface FileTask {
  readonly id: string
  readonly title: string
  readonly path: string
  readonly text: string
  readonly proof: string
  readonly after?: string
}

/** Pauses that let a viewer follow the run. */
const pause = { think: 600, work: 400, look: 250 } as const

/** A step that delivers data. */
export const step = (activity: string, summary: string, output: unknown, ms: number = pause.think): Attempts => [
  [
    { say: `Simulated: ${activity}` },
    { usage: { input_tokens: 2_400, output_tokens: Math.ceil(JSON.stringify(output).length / 4) } },
    { wait: { ms } },
    report(`${summary} (simulated)`, { output }),
  ],
]

/** The tasks of a squad in the form of its lead's plan. */
export const tasksOf = (tasks: readonly FileTask[]): readonly Record<string, unknown>[] =>
  tasks.map(({ id, title, path, proof, after }) => ({
    id,
    title,
    scope: id,
    objective: `${title}: write ${path}, with \`${proof}\` in it. Nothing beyond that file.`,
    files: [path],
    mode: after === undefined ? 'swarm' : 'pipeline',
    depends_on: after === undefined ? [] : [after],
    evidence_required: [{ kind: 'file', path, contains: proof }],
  }))

/** The steps of an implementer: it writes one file and reports it. */
export const writeFile = ({ id, path, text }: FileTask): readonly Step[] => [
  { say: `Simulated: working on ${id}` },
  { wait: { ms: pause.work } },
  { write: { path, text } },
  { usage: { input_tokens: 1_600, output_tokens: Math.ceil(text.length / 4) } },
  report(`Wrote ${path} (simulated)`, { outputs: [path] }),
]

/** The steps of an implementer that reports done without writing its file. */
export const forgetFile = ({ id, path }: FileTask): readonly Step[] => [
  { say: `Simulated: working on ${id}, and forgetting to save it` },
  { wait: { ms: pause.work } },
  { usage: { input_tokens: 1_600, output_tokens: 40 } },
  report(`Wrote ${path} (simulated)`, { outputs: [path] }),
]

export const pass: readonly Step[] = [
  { say: 'Simulated: opening every output' },
  { wait: { ms: pause.look } },
  { usage: { input_tokens: 1_200, output_tokens: 60 } },
  report('It meets the objective (simulated)', {
    verdict: { verdict: 'pass', checked: '{{outputs}}', missing_evidence: [], issues: [], notes: 'simulated' },
  }),
]

export const fail = (issue: string): readonly Step[] => [
  { say: 'Simulated: testing the failure cases' },
  { wait: { ms: pause.look } },
  { usage: { input_tokens: 1_200, output_tokens: 90 } },
  report('It fails (simulated)', {
    verdict: { verdict: 'fail', checked: '{{outputs}}', missing_evidence: [], issues: [issue], notes: 'simulated' },
  }),
]

/** The attempts of the implementers, by task. */
export const implementersOf = (tasks: readonly FileTask[]): NonNullable<Scenario['phases']> =>
  Object.fromEntries(tasks.map((task) => [`t4:${task.id}`, [writeFile(task)]]))

export const accept = (reason: string): Attempts =>
  step('comparing it with the goal', 'Accepted', { decision: 'accept', reason, workstreams: [] }, 400)

function report(summary: string, more: Record<string, unknown>): Step {
  return { report: { status: 'done', summary, outputs: [], via: 'http', ...more } }
}
