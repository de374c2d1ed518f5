import type { Step } from '../src/adapters/runtime/scripted/contract.ts'
import { fileNamedIn, objectiveOf } from '../src/adapters/runtime/scripted/default.ts'
import type { BuiltIn } from '../src/adapters/runtime/scripted/scenarios.ts'
import { CreateRun } from '../src/work/runs/contract.ts'

/** Builds a run with a planner and a verifier per step; it is accepted when all steps pass. No model is called. */
export const plannedRunOf = (steps: number): CreateRun =>
  CreateRun.parse({
    goal: `Plan ${steps} steps`,
    runtime: 'scripted',
    runtimeOptions: { scenario: 'planned' },
    planner: true,
    verify: 'all',
    acceptance: 'auto',
  })

export const playPlanned: BuiltIn = (prompt) => {
  const objective = objectiveOf(prompt)
  const path = fileNamedIn(objective) ?? 'result.md'
  return {
    plan: [[reported({ summary: 'Planned.', plan: planOf(objective) })]],
    attempts: [[{ write: { path, text: 'Done.\n' } }, reported({ summary: `Wrote ${path}.`, outputs: [path] })]],
    verify: [[reported({ summary: `Looked at ${path}.`, verdict: { verdict: 'pass', checked: '{{outputs}}' } })]],
  }
}

const reported = (report: { summary: string; outputs?: string[]; plan?: unknown; verdict?: unknown }): Step => ({
  report: { status: 'done', outputs: [], via: 'stdout', ...report },
})

const planOf = (goal: string): { key: string; objective: string }[] =>
  Array.from({ length: Number(/Plan (\d+) steps/.exec(goal)?.[1] ?? 0) }, (_, index) => ({
    key: `b${index}`,
    objective: `Write b${index}.md`,
  }))
