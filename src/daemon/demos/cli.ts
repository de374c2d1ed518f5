import type { demoCommand } from '../../cli/commands/demo.ts'
import type { Handler } from '../../cli/declare.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Run } from '../../work/runs/contract.ts'
import { demoEndpoints } from './endpoints.ts'

/** Plays a demonstration and follows it to its end, with the exit code of its run. */
export const playDemo: Handler<typeof demoCommand> = async (context, name, { profile, manual, level, json }) => {
  const run = await context.api().call<Wire<Run>>(demoEndpoints.play, { name, profile, manual })
  if (json) {
    context.json(run)
    return 0
  }
  context.err('The demonstration is simulated throughout: no model is called, nothing leaves this machine.')
  context.err(
    manual
      ? `Its gates wait for you: agency approve ${run.id}`
      : 'Each gate is approved automatically after a moment; with --manual the gates wait for you.',
  )
  const { followRun } = await import('../../work/runs/cli/watch.ts')
  const code = await followRun(context, run.id, { level: level ?? 'normal' }, manual === true)
  context.err(`To inspect the run: agency inspect ${run.id}`)
  return code
}
