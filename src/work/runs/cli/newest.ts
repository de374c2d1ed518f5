import type { CliContext } from '../../../cli/context.ts'
import { plain } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { refusal } from '../../../kernel/errors.ts'
import { shorten } from '../../../kernel/text.ts'
import type { RunLine } from '../contract.ts'
import { runEndpoints } from '../endpoints.ts'

/** Returns the run that was named, or else the newest one, which is named on standard error. */
export async function namedOrNewest(context: CliContext, run: string | undefined): Promise<string> {
  if (run !== undefined) return run
  const { runs } = await context.api().call<{ runs: Wire<RunLine>[] }>(runEndpoints.list, { limit: 1 })
  const [newest] = runs
  if (newest === undefined)
    throw refusal('not_found', 'there is no run yet', { hint: 'Start one with agency run "<goal>".' })
  context.err(`agency: ${newest.id}, the newest run: ${shorten(plain(newest.goal_anchor), 100)}`)
  return newest.id
}
