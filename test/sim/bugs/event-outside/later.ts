import type { Db } from '../../../../src/db/port.ts'

let current: Db | null = null

/** Remembers the store of the running daemon. */
export const remember = (db: Db): void => {
  current = db
}

export function later(work: (db: Db) => Promise<unknown>): void {
  if (current !== null) void work(current)
}
