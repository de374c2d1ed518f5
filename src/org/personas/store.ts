import { columns, integer, text } from '../../db/columns.ts'
import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter, raiseCounter, sqlOf } from '../../db/tx.ts'
import { systemPersona } from '../../kernel/ids.ts'

export interface Persona {
  id: number
  name: string
  slug: string
  roleId: number
  /** 1 agent/internal, 2 agent/external, 3 person/internal, 4 person/external. */
  personaTypeId: number
  status: 'active' | 'archived'
  canCreateChannel: boolean
  /** Null: created here by hand. */
  origin: 'seed' | 'import' | 'pool' | null
  createdAt: string
  updatedAt: string
}

export const personas = table<Persona>('personas', { booleans: ['canCreateChannel'], stream: () => 'system' })

export const nextPersonaId = (tx: Tx): Promise<number> => nextCounter(tx, 'personas')

export const raisePersonaIds = (tx: Tx, atLeast: number): Promise<void> => raiseCounter(tx, 'personas', atLeast)

export const findPersona = (tx: ReadTx, id: number): Promise<Persona | undefined> => findRow(tx, personas, id)

export const listPersonas = (tx: ReadTx): Promise<Persona[]> => findRows(tx, personas, '1 = 1 ORDER BY id')

/** Lists the personas that represent an entry of the talent pool. */
export const listPoolPersonas = (tx: ReadTx): Promise<Persona[]> =>
  findRows(tx, personas, "origin = 'pool' ORDER BY id")

export async function findPersonaBySlug(tx: ReadTx, slug: string): Promise<Persona | undefined> {
  const [found] = await findRows(tx, personas, 'slug = ?', [slug])
  return found
}

const persons = columns({ personaId: integer, name: text, slug: text, role: text })

/** Returns the names and roles of the personas that work on the briefs of a run, without the system itself. */
export const listPersonasOfRun = (tx: ReadTx, runId: string) =>
  persons.all(
    sqlOf(tx),
    `SELECT p.id AS persona_id, p.name, p.slug, r.name AS role FROM personas p JOIN roles r ON r.id = p.role_id
WHERE p.id <> ? AND p.id IN (SELECT persona_id FROM briefs WHERE run_id = ?) ORDER BY p.id`,
    [systemPersona, runId],
  )

/** Returns the number of live agents by persona id. */
export async function countLiveAgents(tx: ReadTx): Promise<Map<number, number>> {
  const rows = await columns({ personaId: integer, count: integer }).all(
    sqlOf(tx),
    "SELECT persona_id, COUNT(*) AS count FROM agents WHERE state <> 'ended' AND persona_id IS NOT NULL GROUP BY persona_id",
  )
  return new Map(rows.map(({ personaId, count }) => [personaId, count]))
}
