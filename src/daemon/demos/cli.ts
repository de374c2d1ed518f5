import type { CliContext } from '../../cli/context.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { DemoProfile } from './contract.ts'

export interface DemoOptions {
  profile?: DemoProfile
  manual?: true
  level?: 'normal' | 'verbose'
  json?: true
}

/** Starts a demonstration and follows it to its end; returns the exit code of its run. */
export async function playDemo(context: CliContext, playbook: string, options: DemoOptions): Promise<number> {
  const { profile, manual, json } = options
  const run = await context.api().post<Wire<Run>>('/demo', { playbook, profile, manual })
  if (json) {
    context.json(run)
    return 0
  }
  context.err('This is a simulated mission: no model is called, and nothing leaves this machine.')
  context.err(
    manual
      ? `It waits for you at its gates; to approve one, run: agency approve ${run.id}`
      : 'It approves its own gates after a moment; with --manual they wait for you.',
  )
  const { watchRun } = await import('../../work/runs/cli/watch.ts')
  const code = await watchRun(context, run.id, { level: options.level ?? 'normal' })
  context.err(`To see it, run: agency inspect ${run.id}`)
  return code
}
