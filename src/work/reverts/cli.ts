import type { revertCommand } from '../../cli/commands/revert.ts'
import type { Handler } from '../../cli/declare.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Run } from '../runs/contract.ts'
import { revertEndpoints } from './endpoints.ts'

/** Starts a run that takes a landed result back. */
export const revertRun: Handler<typeof revertCommand> = async (context, id, { json }) => {
  const run = await context.api().call<Wire<Run>>(revertEndpoints.start, { run_id: id })
  if (json) context.json(run)
  else if (run.questions_open > 0)
    context.out(`${run.id} cannot take it back without a conflict, and asks you: "agency questions"`)
  else context.out(`${run.id} takes it back; it waits for your approval of the merge: "agency watch ${run.id}"`)
  return 0
}
