import { answer, type Form, url } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Wire } from '../../cli/wire.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import type { PositionView } from './contract.ts'

export interface SeatOptions extends Form {
  title?: string
  role?: string
  level?: number
  reportsTo?: string
  escalatesTo?: string
  isCrossCutting?: boolean
}

const seat = (options: SeatOptions): object => ({
  title: options.title,
  role: options.role,
  level: options.level,
  reports_to: above(options.reportsTo),
  escalates_to: above(options.escalatesTo),
  is_cross_cutting: options.isCrossCutting,
})

/** Straight to the operator is no seat. */
const above = (title: string | undefined): string | null | undefined => (title === 'operator' ? null : title)

export const createPosition = (context: CliContext, options: SeatOptions & { org: string }) =>
  answer(context, options, 'POST', url`/orgs/${options.org}/positions`, seat(options))

export const listPositions = (context: CliContext, { org, json }: Form & { org: string }) =>
  answer(context, { json }, 'GET', url`/orgs/${org}/positions`)

export interface ShowOptions extends Form {
  org?: string
  title?: string
  positionId?: number
}

export async function showPosition(context: CliContext, options: ShowOptions): Promise<number> {
  return answer(context, options, 'GET', url`/positions/${await positionIdOf(context, options)}`)
}

async function positionIdOf(context: CliContext, { org, title, positionId }: ShowOptions): Promise<number> {
  if (positionId !== undefined) return positionId
  if (org === undefined || title === undefined)
    throw refusal('invalid_input', 'which seat?', { hint: 'Give --org and --title, or --position-id.' })
  const { positions } = await context.api().get<{ positions: Wire<PositionView>[] }>(url`/orgs/${org}/positions`)
  const found = positions.find((each) => each.title.toLowerCase() === title.trim().toLowerCase())
  if (found !== undefined) return found.position_id
  const guess = nearest(
    title,
    positions.map((each) => each.title),
  )
  throw notFound(
    'seat',
    title,
    guess === null ? `agency org tree --org ${org} shows them.` : `Did you mean "${guess}"?`,
  )
}

export const updatePosition = (context: CliContext, options: SeatOptions & { positionId: number }) =>
  answer(context, options, 'PATCH', url`/positions/${options.positionId}`, seat(options))

export interface RemoveOptions extends Form {
  positionId: number
  preview?: true
  reparent?: true
  unassign?: true
  force?: true
}

export const removePosition = (context: CliContext, { positionId, json, ...flags }: RemoveOptions) =>
  answer(context, { json }, 'POST', url`/positions/${positionId}/remove`, flags)

export interface AuthorityOptions extends Form {
  positionId: number
  kind: string
  limit: number
  unit: string
  onBreach: string
}

export const setAuthority = (
  context: CliContext,
  { positionId, kind, limit, unit, onBreach, json }: AuthorityOptions,
) =>
  answer(context, { json }, 'PUT', url`/positions/${positionId}/authority/${kind}`, {
    limit,
    unit,
    on_breach: onBreach,
  })

export const listAuthority = (context: CliContext, { positionId, json }: Form & { positionId: number }) =>
  answer(context, { json }, 'GET', url`/positions/${positionId}/authority`)

export const clearAuthority = (
  context: CliContext,
  { positionId, kind, json }: Form & { positionId: number; kind: string },
) => answer(context, { json }, 'DELETE', url`/positions/${positionId}/authority/${kind}`)
