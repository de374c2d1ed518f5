import type { CliContext } from '../../../cli/context.ts'
import { bold, duration, plain, statusText } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { readScenario, shellWords } from '../../runs/cli/arguments.ts'
import type { Execution } from './contract.ts'

type Answer = Wire<Execution>

interface Common {
  timeoutMinutes?: number
  tokenBudget?: number
  model?: string
  binary?: string
  program?: string
  scenario?: string
  wait?: boolean
  json?: true
}

export interface ExecOptions extends Common {
  prompt: string
  mode?: string
  context?: string[]
}

/** Exits as what it started: 0 where that came to a good end. */
export const execute = (context: CliContext, mission: string, options: ExecOptions): Promise<number> =>
  follow(context, mission, 'exec', options, {
    prompt: options.prompt,
    mode: options.mode,
    context_files: options.context,
  })

export const review = (context: CliContext, mission: string, options: Common & { focus?: string }): Promise<number> =>
  follow(context, mission, 'review', options, { focus: options.focus })

async function follow(
  context: CliContext,
  mission: string,
  verb: 'exec' | 'review',
  options: Common,
  own: Record<string, unknown>,
): Promise<number> {
  const api = context.api()
  let answer = await api.post<Answer>(`/missions/${encodeURIComponent(mission)}/workspace/${verb}`, {
    ...own,
    timeout_minutes: options.timeoutMinutes,
    token_budget: options.tokenBudget,
    model: options.model,
    ...runtimeOf(options),
  })
  if (options.wait === false) {
    if (options.json) context.json(answer)
    else context.out(`${answer.run_id} ${answer.status}`)
    return 0
  }
  if (!options.json) context.err(`agency: ${answer.run_id} ${answer.status}`)
  while (answer.status === 'queued' || answer.status === 'running')
    answer = await api.get<Answer>(`/executions/${answer.run_id}`, { wait_seconds: 20 })
  if (options.json) context.json(answer)
  else print(context, answer)
  return answer.status === 'done' && answer.exit_code === 0 ? 0 : 1
}

/** `--binary claude`, `scripted`, or the name of any other runtime; a program says which runtime is meant. */
function runtimeOf({ binary, program, scenario }: Common): { runtime?: string; runtime_options?: object } {
  if (program !== undefined) return { runtime: binary ?? 'program', runtime_options: { command: shellWords(program) } }
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
  if (answer.kind === 'review' && answer.findings?.length === 0) context.out('nothing was found')
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
