import { AgencyError, refusal } from '../kernel/errors.ts'

/** Primary result codes of SQLite; `errcode` carries extended ones, whose low byte is the primary one. */
const busy = 5
const full = 13
/** The shared memory file beside the log could not grow: to SQLite an I/O error, to everybody else a full disk. */
const ioErrorShmSize = 4_874
const unusable = new Map([
  [busy, 'another process holds it'],
  [6, 'another process holds it'],
  [8, 'it is read-only'],
  [10, 'the disk reports an error'],
  [11, 'the file is damaged'],
  [14, 'it cannot be opened'],
  [26, 'the file is not a store'],
])

/** Disk trouble is the operator's to mend and says so; anything else is passed on as it is. */
export function storeError(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === full) return fullDisk(error)
  const reason = code === null ? undefined : unusable.get(code)
  if (reason === undefined) return error
  return refusal('store_unusable', `the store cannot be used: ${reason} (${messageOf(error)})`, {
    hint: 'Run "agency doctor" for what is wrong with it.',
    cause: error,
  })
}

/** Whatever stops a store from being opened. */
export function openingError(path: string, error: unknown): AgencyError {
  if (error instanceof AgencyError) return error
  if (sqliteCode(error) === full || codeOf(error) === 'ENOSPC') return fullDisk(error)
  const reason = unusable.get(sqliteCode(error) ?? 0)
  const message = reason === undefined ? messageOf(error) : `${reason} (${messageOf(error)})`
  return refusal('store_unusable', `the store ${path} cannot be opened: ${message}`, {
    hint: 'Run "agency doctor" for what is wrong with it; a copy of the file is the first thing to make.',
    cause: error,
  })
}

export const isBusy = (error: unknown): boolean => sqliteCode(error) === busy

const fullDisk = (error: unknown): AgencyError =>
  refusal('store_full', 'the disk that holds the store is full; nothing was changed', {
    hint: 'Free some space, then repeat the command.',
    cause: error,
  })

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null
  const code = Number(error.errcode)
  return code === ioErrorShmSize ? full : code & 0xff
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
