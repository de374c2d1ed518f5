import type { undoCommand } from '../../cli/commands/undo.ts'
import type { Handler } from '../../cli/declare.ts'
import { visible } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import type { Decision } from './contract.ts'
import { decisionEndpoints } from './endpoints.ts'

/** Takes back a decision that has not taken effect. */
export const undoDecision: Handler<typeof undoCommand> = async (context, target, { json }) => {
  const undone = await context.api().call<Wire<Decision> & { confirmation: string }>(decisionEndpoints.undo, { target })
  if (json) context.json(undone)
  else context.out(visible(undone.confirmation))
  return 0
}
