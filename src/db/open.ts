import type { Db, DbOptions } from './port.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export type StoreLocation = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }

export const openStore = (location: StoreLocation, options: DbOptions & { readOnly?: boolean }): Promise<Db> =>
  location.kind === 'sqlite'
    ? openSqlite({ ...options, path: location.path })
    : openPostgres({ ...options, url: location.url })
