import type { Db, DbOptions } from './port.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export type StoreLocation = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }

export const openStore = (place: StoreLocation, options: DbOptions & { readOnly?: boolean }): Promise<Db> =>
  place.kind === 'sqlite' ? openSqlite({ ...options, path: place.path }) : openPostgres({ ...options, url: place.url })
