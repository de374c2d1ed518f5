import type { resumeCommand } from '../../cli/commands/resume.ts'
import type { stopCommand } from '../../cli/commands/stop.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import { plain } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import { gateEndpoints } from '../gates/endpoints.ts'
import type { ProviderHold, Stop } from './contract.ts'
import { stopEndpoints } from './endpoints.ts'

export const stopLaunches: Handler<typeof stopCommand> = async (context, options) => {
  if ((options.all === true) === (options.org !== undefined))
    throw refusal('invalid_input', 'a stop has one scope: add --all or --org <org>', {
      hint: '"agency down" stops the daemon itself.',
    })
  const stop = await context
    .api()
    .call<Wire<Stop>>(stopEndpoints.set, { organisation: options.org, reason: options.reason })
  if (options.json) context.json(stop)
  else
    context.out(
      `stopped ${stop.scope}${stop.reason === '' ? '' : `: ${plain(stop.reason)}`}; "agency resume${
        options.org === undefined ? '' : ` --org ${plain(options.org)}`
      }" lifts it`,
    )
  return 0
}

export const resume: Handler<typeof resumeCommand> = async (context, runId, options) => {
  if (runId === undefined) return liftStop(context, options)
  if (options.org !== undefined) throw refusal('invalid_input', 'name a run or --org, not both')
  const run = await context.api().call<{ run_id: string; status: string }>(gateEndpoints.resume, { run_id: runId })
  if (options.json) context.json(run)
  else context.out(`${run.run_id} ${run.status}`)
  return 0
}

async function liftStop(context: CliContext, options: OptionsFor<typeof resumeCommand>): Promise<number> {
  const answer = await context
    .api()
    .call<{ lifted: Wire<Stop>[]; released: Wire<ProviderHold>[] }>(stopEndpoints.clear, { organisation: options.org })
  if (options.json) context.json(answer)
  else {
    for (const stop of answer.lifted) context.out(`${stop.scope} resumed`)
    for (const { provider } of answer.released) context.out(`${plain(provider)} is used again`)
  }
  return 0
}
