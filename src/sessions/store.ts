import { columns, integer, text } from '../db/columns.ts'
import type { ReadTx, Tx } from '../db/port.ts'
import { openTx, sqlOf } from '../db/tx.ts'

/** A browser that is signed in. Rows of sessions are operational: no event records them and no replay rebuilds them. */
export interface SessionRow {
  id: string
  cookieMac: string
  pageMac: string
  port: number
  userAgent: string
  createdAt: string
  usedAt: string
}

const sessions = columns({
  id: text,
  cookieMac: text,
  pageMac: text,
  port: integer,
  userAgent: text,
  createdAt: text,
  usedAt: text,
})

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await openTx(tx)
    .sqlFor('sessions')
    .run(
      'INSERT INTO sessions (id, cookie_mac, page_mac, port, user_agent, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      [row.id, row.cookieMac, row.pageMac, row.port, row.userAgent, row.createdAt, row.usedAt],
    )
}

export const findSession = (tx: ReadTx, id: string): Promise<SessionRow | undefined> =>
  sessions.first(sqlOf(tx), 'SELECT * FROM sessions WHERE id = ?', [id])

export const listSessions = (tx: ReadTx): Promise<SessionRow[]> =>
  sessions.all(sqlOf(tx), 'SELECT * FROM sessions ORDER BY used_at DESC, created_at DESC, id')

export async function touchSession(tx: Tx, id: string, at: string): Promise<void> {
  await sqlOf(tx).run('UPDATE sessions SET used_at = ? WHERE id = ?', [at, id])
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await sqlOf(tx).run('DELETE FROM sessions WHERE id = ?', [id])
}
