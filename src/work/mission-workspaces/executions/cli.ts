import type { workspaceExecCommand } from '../../../cli/commands/workspace/exec.ts'
import type { workspaceReviewCommand } from '../../../cli/commands/workspace/review.ts'
import type { CliContext } from '../../../cli/context.ts'
import type { Handler, OptionsFor } from '../../../cli/declare.ts'
import { bold, duration, plain, statusText } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { Endpoint } from '../../../operations/endpoint.ts'
import { readScenario, programWords } from '../../runs/cli/arguments.ts'
import { readablePaths } from '../../runs/cli/readable-paths.ts'
import type { Execution } from './contract.ts'
import { executionEndpoints } from './endpoints.ts'

type Answer = Wire<Execution>

type ExecutionOptions = Omit<OptionsFor<typeof workspaceReviewCommand>, 'focus'>

/** Starts a task and exits with its result: 0 when the task succeeded. */
export const execute: Handler<typeof workspaceExecCommand> = (context, mission, options) =>
  follow(context, executionEndpoints.execute, options, {
    mission_id: mission,
    prompt: options.prompt,
    mode: options.mode,
    context_files: options.context,
  })

export const review: Handler<typeof workspaceReviewCommand> = (context, mission, options) =>
  follow(context, executionEndpoints.review, options, { mission_id: mission, focus: options.focus })

async function follow(
  context: CliContext,
  endpoint: Endpoint,
  options: ExecutionOptions,
  own: Record<string, unknown>,
): Promise<number> {
  const api = context.api()
  let answer = await api.call<Answer>(endpoint, {
    ...own,
    timeout_minutes: options.timeoutMinutes,
    token_budget: options.tokenBudget,
    model: options.model,
    readable: readablePaths(options),
    ...runtimeOf(options),
  })
  if (options.wait === false) {
    if (options.json) context.json(answer)
    else context.out(`${answer.run_id} ${answer.status}`)
    return 0
  }
  if (!options.json) context.err(`agency: ${answer.run_id} ${answer.status}`)
  while (answer.status === 'queued' || answer.status === 'running')
    answer = await api.call<Answer>(executionEndpoints.execution, { run_id: answer.run_id, wait_seconds: 20 })
  if (options.json) context.json(answer)
  else print(context, answer)
  return answer.status === 'done' && answer.exit_code === 0 ? 0 : 1
}

/** Returns the runtime: `--binary claude`, `scripted`, or the name of any other; a program or scenario implies one. */
function runtimeOf({ binary, program, scenario }: ExecutionOptions): { runtime?: string; runtime_options?: object } {
  if (program !== undefined)
    return { runtime: binary ?? 'program', runtime_options: { command: programWords(program) } }
  if (scenario !== undefined)
    return { runtime: binary ?? 'scripted', runtime_options: { scenario: readScenario(scenario) } }
  return binary === undefined ? {} : { runtime: binary }
}

function print(context: CliContext, answer: Answer): void {
  context.text(answer.stdout)
  if (answer.stderr !== '') for (const line of answer.stderr.trimEnd().split('\n')) context.err(plain(line))
  for (const finding of answer.findings ?? [])
    context.out(
      `${finding.severity.padEnd(8)} ${plain(finding.file)}${finding.line === null ? '' : `:${finding.line}`}  ${plain(finding.suggestion)}`,
    )
  if (answer.kind === 'review' && answer.findings?.length === 0) context.out('no findings')
  const changed = (sign: string, files: readonly string[] | null): void => {
    for (const file of files ?? []) context.err(`${sign} ${plain(file)}`)
  }
  changed('+', answer.files_created)
  changed('~', answer.files_modified)
  changed('-', answer.files_deleted)
  for (const { what } of answer.needs_approval) context.err(`needs approval: ${plain(what)}`)
  if (answer.question_id !== null) context.err(`answer with: agency answer ${answer.question_id} "…"`)
  context.err(
    [
      bold(context, answer.run_id),
      statusText(context, answer.status),
      answer.mode,
      `exit ${answer.exit_code ?? '-'}`,
      `${answer.tokens_used} tokens`,
      `$${answer.cost.toFixed(4)}`,
      answer.duration_ms === null ? '' : duration(answer.duration_ms),
      answer.budget_exceeded ? 'budget exceeded' : '',
      answer.status === 'done' ? '' : plain(answer.detail ?? ''),
    ]
      .filter((part) => part !== '')
      .join('  '),
  )
}
