import type { CliContext } from '../../../cli/context.ts'
import { dashboardOf } from '../../../cli/daemon-address.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { Run } from '../contract.ts'

/**
 * Prints the id of a run that was started, alone on standard output, so that a script can read it; with --watch the log
 * goes to standard error. Returns the exit code.
 */
export async function printStarted(
  context: CliContext,
  run: Wire<Run>,
  { json, watch }: { readonly json?: true; readonly watch?: true },
): Promise<number> {
  if (json) context.json(run)
  else context.out(run.id)
  const dashboard = dashboardOf(context.env, context.paths)
  if (!json && dashboard !== null) context.err(`agency: ${dashboard}/runs/${run.id}`)
  if (!watch) return 0
  const { watchRun } = await import('./watch.ts')
  return watchRun({ ...context, out: context.err }, run.id, {})
}
