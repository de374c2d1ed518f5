import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { type AgencyError, refusal } from '../kernel/errors.ts'
import { isBusy, openingError } from './sqlite-errors.ts'

export interface Ownership {
  release(): void
}

/** Two processes that start at the same moment contend for the lock; one of them gets it within this time. */
const lockTimeoutMs = 300

/**
 * Makes this process the only owner of a home. The lock is an operating system lock on `owner.db`: it exists from the
 * first moment and ends with the process, even after a kill, so there is no stale lock to clean up.
 */
export function ownHome(homePath: string): Ownership {
  const path = join(homePath, 'owner.db')
  const pidPath = join(homePath, 'owner.pid')
  checkWritable(homePath)
  const database = lock(path, homePath, pidPath)
  writePid(pidPath)
  let released = false
  return {
    release() {
      if (released) return
      released = true
      // Removed before the lock is released: afterwards the file may be the next owner's.
      rmSync(pidPath, { force: true })
      database.close()
    },
  }
}

function lock(path: string, homePath: string, pidPath: string): DatabaseSync {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(path, { timeout: lockTimeoutMs })
    // With a write-ahead log, EXCLUSIVE blocks only writers; the rollback journal locks the file itself.
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    throw isBusy(error) ? owned(homePath, pidPath) : openingError(path, error)
  }
}

/** Throws if the home is not writable: SQLite opens a file on a read-only disk for reading and takes no lock at all. */
function checkWritable(homePath: string): void {
  try {
    accessSync(homePath, constants.W_OK)
  } catch (error) {
    throw openingError(homePath, error)
  }
}

function owned(homePath: string, pidPath: string): AgencyError {
  const pid = readPid(pidPath)
  const owner = pid === null ? 'another Agency' : `another Agency (pid ${pid})`
  return refusal('home_owned', `${owner} already runs on ${homePath}`, {
    hint: 'Run "agency status" to see it, or "agency down" to stop it.',
    data: { home: homePath, pid },
  })
}

/** Writes the pid for the message only: no decision depends on it, so a full disk does not prevent the start here. */
function writePid(pidPath: string): void {
  try {
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // The lock does not need the file.
  }
}

function readPid(pidPath: string): number | null {
  try {
    const pid = Number(readFileSync(pidPath, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}
