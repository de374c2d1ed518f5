import { AgencyError, refusal } from '../kernel/errors.ts'

/** Primary result codes of SQLite; `errcode` carries extended ones, whose low byte is the primary one. */
const busy = 5
const full = 13
/** The shared memory file beside the log could not grow: SQLite reports an I/O error, but the disk is full. */
const ioErrorShmSize = 4_874
const unusable = new Map([
  [busy, 'another process has locked it'],
  [6, 'another process has locked it'],
  [8, 'it is read-only'],
  [10, 'the disk reports an error'],
  [11, 'the file is damaged'],
  [14, 'it cannot be opened'],
  [26, 'the file is not a store'],
])

/** Converts disk errors, which the operator has to fix, to refusals with a hint; returns any other error unchanged. */
export function storeError(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === full) return fullDisk(error)
  const reason = code === null ? undefined : unusable.get(code)
  if (reason === undefined) return error
  return refusal('store_unusable', `the store cannot be used: ${reason} (${messageOf(error)})`, {
    hint: 'Run "agency doctor" for a diagnosis.',
    cause: error,
  })
}

/** Converts any error that prevents a store from being opened. */
export function openingError(path: string, error: unknown): AgencyError {
  if (error instanceof AgencyError) return error
  if (sqliteCode(error) === full || codeOf(error) === 'ENOSPC') return fullDisk(error)
  const reason = unusable.get(sqliteCode(error) ?? 0)
  const message = reason === undefined ? messageOf(error) : `${reason} (${messageOf(error)})`
  return refusal('store_unusable', `the store ${path} cannot be opened: ${message}`, {
    hint: 'Make a copy of the file first, then run "agency doctor" for a diagnosis.',
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
