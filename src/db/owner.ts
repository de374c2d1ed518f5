import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { type AgencyError, refusal } from '../kernel/errors.ts'
import { isBusy, openingError } from './sqlite-errors.ts'

export interface Ownership {
  release(): void
}

/** Two that start at the same moment step on each other's probing; one of them gets through within this time. */
const patienceMs = 300

/**
 * Makes this process the only owner of a home. The lock is the kernel's, on `owner.db`: it is there from the first moment
 * and gone with the process, however that ends, so there is no stale lock to clean up.
 */
export function ownHome(homePath: string): Ownership {
  const path = join(homePath, 'owner.db')
  const pidPath = join(homePath, 'owner.pid')
  checkWritable(homePath)
  const database = lock(path, homePath, pidPath)
  tellPid(pidPath)
  let released = false
  return {
    release() {
      if (released) return
      released = true
      // Before the lock goes: afterwards the file may be the next owner's.
      rmSync(pidPath, { force: true })
      database.close()
    },
  }
}

function lock(path: string, homePath: string, pidPath: string): DatabaseSync {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(path, { timeout: patienceMs })
    // With a write-ahead log, EXCLUSIVE keeps only writers out; the old journal locks the file itself.
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    throw isBusy(error) ? owned(homePath, pidPath) : openingError(path, error)
  }
}

/** SQLite opens a file on a read-only disk for reading and takes no lock at all. */
function checkWritable(homePath: string): void {
  try {
    accessSync(homePath, constants.W_OK)
  } catch (error) {
    throw openingError(homePath, error)
  }
}

function owned(homePath: string, pidPath: string): AgencyError {
  const pid = readPid(pidPath)
  const who = pid === null ? 'another Agency' : `another Agency (pid ${pid})`
  return refusal('home_owned', `${who} already runs on ${homePath}`, {
    hint: 'See it with "agency status", stop it with "agency down".',
    data: { home: homePath, pid },
  })
}

/** For the message only: nothing is decided by it, and a full disk does not stop a start here. */
function tellPid(pidPath: string): void {
  try {
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // The lock holds without it.
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
