import type { Db, ReadTx, Stream, Tx } from '../../db/port.ts'
import { deleted, inserted, updated } from '../../events/change.ts'
import type { Actor } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { assignments, listAssignmentsOfPosition } from '../assignments/store.ts'
import { childrenOf, refuseCircles, walkUp } from '../chart/lines.ts'
import { type Governed, type OrgAccess, recordOrgChange, warned } from '../changes.ts'
import { findOrganisation } from '../organisations/store.ts'
import { requireRole } from '../roles/changes.ts'
import { loadStructure, positionView, type Structure } from '../structure.ts'
import type { Authority, PositionView, Removal } from './contract.ts'
import { authorityRow, planRemoval, refuseRemoval, type RemovalOptions, removalChanges } from './removal.ts'
import { findPosition, nextPositionId, type Position, positionAuthorities, positions } from './store.ts'

export type Positions = ReturnType<typeof createPositions>

type Warned<T> = T & { warnings?: string[] }

interface NewPosition {
  title: string
  role: string
  level: number
  reportsTo: string | null
  escalatesTo: string | null
  isCrossCutting: boolean
}

export function createPositions({ db, access }: { db: Db; access: OrgAccess }) {
  /** Changes one seat, with its organisation's structure read under the lock. */
  async function changeSeat<T>(
    by: Actor,
    positionId: number,
    work: (tx: Tx, structure: Structure, position: Position, governed: Governed) => Promise<T>,
    streams: readonly Stream[] = [],
  ): Promise<T> {
    // A seat that does not exist is requested with a write too: a repeated request then gets the answer of the first
    // one.
    const found = await db.read((tx) => findPosition(tx, positionId))
    const own: Stream[] = found === undefined ? [] : [`org:${found.organisationId}`]
    return db.write(['system', ...own, ...streams], async (tx) => {
      const position = await requirePosition(tx, positionId)
      const governed = await access.govern(tx, by, position.organisationId)
      return work(tx, await structureOf(tx, position.organisationId), position, governed)
    })
  }

  const authorityOf = (positionId: number): Promise<{ authority: Authority[] }> =>
    db.read(async (tx) => {
      const position = await requirePosition(tx, positionId)
      const structure = await structureOf(tx, position.organisationId)
      return { authority: positionView(structure, position).authority }
    })

  return {
    async create(by: Actor, org: string, input: NewPosition): Promise<Warned<PositionView>> {
      const { id: organisationId } = await db.read((tx) => access.resolveOrganisation(tx, org))
      return db.write(['system', `org:${organisationId}`], async (tx) => {
        const governed = await access.govern(tx, by, organisationId)
        const structure = await structureOf(tx, organisationId)
        refuseDuplicateTitle(structure, input.title, null)
        const position: Position = {
          id: await nextPositionId(tx),
          organisationId,
          roleId: (await requireRole(tx, input.role)).id,
          title: input.title,
          level: input.level,
          reportsToId: seatByTitle(structure, input.reportsTo, input.title, 'reports'),
          escalatesToId: seatByTitle(structure, input.escalatesTo, input.title, 'escalates'),
          isCrossCutting: input.isCrossCutting,
          createdAt: tx.at,
          updatedAt: tx.at,
        }
        const message = `seat "${position.title}" created`
        await recordOrgChange(
          tx,
          by,
          governed,
          { noun: 'position', action: 'create', message, data: { position_id: position.id } },
          [inserted(positions, position)],
        )
        return { ...positionView(await structureOf(tx, organisationId), position), ...warned(governed) }
      })
    },

    list: (org: string): Promise<{ positions: PositionView[] }> =>
      db.read(async (tx) => {
        const structure = await loadStructure(tx, await access.resolveOrganisation(tx, org))
        return { positions: structure.positions.map((position) => positionView(structure, position)) }
      }),

    show: (positionId: number) =>
      db.read(async (tx) => {
        const position = await requirePosition(tx, positionId)
        const structure = await structureOf(tx, position.organisationId)
        return {
          position: positionView(structure, position),
          reportingLine: [...walkUp(structure.byId, position, 'reportsToId').map((seat) => seat.title), 'operator'],
          escalationPath: [...walkUp(structure.byId, position, 'escalatesToId').map((seat) => seat.title), 'operator'],
          directReports: (childrenOf(structure.positions).get(position.id) ?? []).map((seat) => seat.title),
        }
      }),

    update: (by: Actor, positionId: number, input: Partial<NewPosition>): Promise<Warned<PositionView>> =>
      changeSeat(by, positionId, async (tx, structure, position, governed) => {
        const title = input.title ?? position.title
        refuseDuplicateTitle(structure, title, position.id)
        const patch: Partial<Position> = {
          ...(input.title === undefined ? {} : { title }),
          ...(input.role === undefined ? {} : { roleId: (await requireRole(tx, input.role)).id }),
          ...(input.level === undefined ? {} : { level: input.level }),
          ...(input.reportsTo === undefined
            ? {}
            : { reportsToId: seatByTitle(structure, input.reportsTo, title, 'reports') }),
          ...(input.escalatesTo === undefined
            ? {}
            : { escalatesToId: seatByTitle(structure, input.escalatesTo, title, 'escalates') }),
          ...(input.isCrossCutting === undefined ? {} : { isCrossCutting: input.isCrossCutting }),
        }
        const changed = { ...position, ...patch }
        refuseCircles(structure.positions.map((seat) => (seat.id === position.id ? changed : seat)))
        const holder = structure.holders.get(position.id)
        const fields = (Object.keys(patch) as (keyof Position)[]).filter((name) => patch[name] !== position[name])
        if (fields.length > 0)
          await recordOrgChange(
            tx,
            by,
            governed,
            {
              noun: 'position',
              action: 'update',
              message: `seat "${position.title}" changed: ${fields.join(', ')}`,
              data: { position_id: position.id, fields },
            },
            [
              updated(positions, position, { ...patch, updatedAt: tx.at }),
              // The current holder's assignment gets the new title; past ones keep the old title.
              ...(holder === undefined || title === position.title
                ? []
                : [updated(assignments, holder.assignment, { positionTitle: title })]),
            ],
          )
        return { ...positionView(await structureOf(tx, position.organisationId), changed), ...warned(governed) }
      }),

    async remove(
      by: Actor,
      positionId: number,
      input: RemovalOptions & { preview: boolean },
    ): Promise<Warned<Removal>> {
      if (input.preview)
        return db.read(async (tx) => {
          const position = await requirePosition(tx, positionId)
          return { ...planRemoval(await structureOf(tx, position.organisationId), position), removed: false }
        })
      const seated = await db.read((tx) => access.listSeatedAgents(tx, positionId))
      const remove = async (tx: Tx, structure: Structure, position: Position, governed: Governed) => {
        const plan = planRemoval(structure, position)
        refuseRemoval(plan, input)
        for (const agent of await access.listSeatedAgents(tx, positionId)) {
          await tx.lock(agent.stream)
          const change = { noun: 'agent', action: 'update', message: `agent ${agent.id} leaves the chart` }
          await recordOrgChange(tx, by, governed, change, [agent.leaveSeat])
        }
        const message = `seat "${position.title}" removed`
        const data = { position_id: position.id, unassigned: plan.holder, reparented: plan.directReports }
        await recordOrgChange(
          tx,
          by,
          governed,
          { noun: 'position', action: 'remove', message, data },
          removalChanges(structure, position, await listAssignmentsOfPosition(tx, position.id), tx.at),
        )
        return { ...plan, removed: true, ...warned(governed) }
      }
      return changeSeat(
        by,
        positionId,
        remove,
        seated.map((agent) => agent.stream),
      )
    },

    setAuthority: (by: Actor, positionId: number, limit: Authority): Promise<Warned<{ authority: Authority[] }>> =>
      changeSeat(by, positionId, async (tx, structure, position, governed) => {
        const row = authorityRow(position, limit)
        const known = structure.authorities.get(positionId)?.some((each) => each.kind === limit.kind) === true
        const message = `seat "${position.title}": ${limit.kind} ${limit.limit} ${limit.unit}, then ${limit.onBreach}`
        await recordOrgChange(
          tx,
          by,
          governed,
          { noun: 'authority', action: 'set', message, data: { position_id: positionId } },
          [known ? updated(positionAuthorities, row, row) : inserted(positionAuthorities, row)],
        )
        const { authority } = positionView(await structureOf(tx, position.organisationId), position)
        return { authority, ...warned(governed) }
      }),

    listAuthority: authorityOf,

    clearAuthority: (
      by: Actor,
      positionId: number,
      kind: Authority['kind'],
    ): Promise<Warned<{ authority: Authority[] }>> =>
      changeSeat(by, positionId, async (tx, structure, position, governed) => {
        const limit = structure.authorities.get(positionId)?.find((each) => each.kind === kind)
        if (limit === undefined) throw notFound('limit', kind, `"${position.title}" has no such limit.`)
        const message = `seat "${position.title}": ${kind} limit removed`
        await recordOrgChange(
          tx,
          by,
          governed,
          { noun: 'authority', action: 'clear', message, data: { position_id: positionId } },
          [deleted(positionAuthorities, authorityRow(position, limit))],
        )
        const { authority } = positionView(await structureOf(tx, position.organisationId), position)
        return { authority, ...warned(governed) }
      }),
  }
}

async function structureOf(tx: ReadTx, organisationId: number): Promise<Structure> {
  const organisation = await findOrganisation(tx, organisationId)
  if (organisation === undefined) throw notFound('organisation', organisationId)
  return loadStructure(tx, organisation)
}

async function requirePosition(tx: ReadTx, positionId: number): Promise<Position> {
  const position = await findPosition(tx, positionId)
  if (position === undefined)
    throw notFound('position', positionId, 'List them with "agency org position list --org …".')
  return position
}

function seatByTitle(
  structure: Structure,
  title: string | null,
  own: string,
  line: 'reports' | 'escalates',
): number | null {
  if (title === null) return null
  if (title === own)
    throw refusal('illegal_transition', `"${own}" cannot ${line === 'reports' ? 'report' : 'escalate'} to itself`)
  const seat = structure.byTitle.get(title)
  if (seat !== undefined) return seat.id
  const guess = nearest(title, structure.byTitle.keys())
  throw notFound('seat', title, guess === null ? 'Give the exact title of the seat.' : `Did you mean "${guess}"?`)
}

function refuseDuplicateTitle(structure: Structure, title: string, own: number | null): void {
  const taken = structure.byTitle.get(title)
  if (taken === undefined || taken.id === own) return
  let free = 2
  while (structure.byTitle.has(`${title} ${free}`)) free++
  throw refusal('conflict', `${structure.organisation.name} already has a seat "${title}" (position_id ${taken.id})`, {
    hint: `Titles identify seats, so each must be unique: use --title "${title} ${free}", for example.`,
  })
}
