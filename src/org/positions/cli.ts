import { printAnswer } from '../../cli/answers.ts'
import type { orgPositionAuthorityClearCommand } from '../../cli/commands/org/position/authority/clear.ts'
import type { orgPositionAuthorityListCommand } from '../../cli/commands/org/position/authority/list.ts'
import type { orgPositionAuthoritySetCommand } from '../../cli/commands/org/position/authority/set.ts'
import type { orgPositionCreateCommand } from '../../cli/commands/org/position/create.ts'
import type { orgPositionListCommand } from '../../cli/commands/org/position/list.ts'
import type { orgPositionRemoveCommand } from '../../cli/commands/org/position/remove.ts'
import type { orgPositionShowCommand } from '../../cli/commands/org/position/show.ts'
import type { orgPositionUpdateCommand } from '../../cli/commands/org/position/update.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import type { Wire } from '../../cli/wire.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import type { PositionView } from './contract.ts'
import { positionEndpoints } from './endpoints.ts'

type SeatOptions = Omit<OptionsFor<typeof orgPositionUpdateCommand>, 'positionId'>

const seat = (options: SeatOptions): object => ({
  title: options.title,
  role: options.role,
  level: options.level,
  reports_to: seatAbove(options.reportsTo),
  escalates_to: seatAbove(options.escalatesTo),
  is_cross_cutting: options.isCrossCutting,
})

/** The operator is not a seat: a line to the operator is null. */
const seatAbove = (title: string | undefined): string | null | undefined => (title === 'operator' ? null : title)

export const createPosition: Handler<typeof orgPositionCreateCommand> = (context, options) =>
  printAnswer(context, options, positionEndpoints.create, { org: options.org, ...seat(options) })

export const listPositions: Handler<typeof orgPositionListCommand> = (context, { org, json }) =>
  printAnswer(context, { json }, positionEndpoints.list, { org })

export const showPosition: Handler<typeof orgPositionShowCommand> = async (context, options) =>
  printAnswer(context, options, positionEndpoints.show, { position_id: await positionIdOf(context, options) })

async function positionIdOf(
  context: CliContext,
  { org, title, positionId }: OptionsFor<typeof orgPositionShowCommand>,
): Promise<number> {
  if (positionId !== undefined) return positionId
  if (org === undefined || title === undefined)
    throw refusal('invalid_input', 'no seat is named', { hint: 'Add --org and --title, or --position-id.' })
  const { positions } = await context.api().call<{ positions: Wire<PositionView>[] }>(positionEndpoints.list, { org })
  const found = positions.find((each) => each.title.toLowerCase() === title.trim().toLowerCase())
  if (found !== undefined) return found.position_id
  const guess = nearest(
    title,
    positions.map((each) => each.title),
  )
  throw notFound(
    'seat',
    title,
    guess === null ? `"agency org tree --org ${org}" lists the seats.` : `Did you mean "${guess}"?`,
  )
}

export const updatePosition: Handler<typeof orgPositionUpdateCommand> = (context, options) =>
  printAnswer(context, options, positionEndpoints.update, { position_id: options.positionId, ...seat(options) })

export const removePosition: Handler<typeof orgPositionRemoveCommand> = (context, { positionId, json, ...flags }) =>
  printAnswer(context, { json }, positionEndpoints.remove, { position_id: positionId, ...flags })

export const setAuthority: Handler<typeof orgPositionAuthoritySetCommand> = (
  context,
  { positionId, kind, limit, unit, onBreach, json },
) =>
  printAnswer(context, { json }, positionEndpoints.setAuthority, {
    position_id: positionId,
    kind,
    limit,
    unit,
    on_breach: onBreach,
  })

export const listAuthority: Handler<typeof orgPositionAuthorityListCommand> = (context, { positionId, json }) =>
  printAnswer(context, { json }, positionEndpoints.listAuthority, { position_id: positionId })

export const clearAuthority: Handler<typeof orgPositionAuthorityClearCommand> = (context, { positionId, kind, json }) =>
  printAnswer(context, { json }, positionEndpoints.clearAuthority, { position_id: positionId, kind })
