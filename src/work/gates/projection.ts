import { mkdirSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { Db } from '../../db/port.ts'
import type { Log } from '../../kernel/log.ts'
import type { GateRow } from './contract.ts'
import { listGates } from './store.ts'

/** The pending gates, for programs that watch a file instead of the API. Writing to the file changes nothing. */
export const projectGates = (pending: readonly GateRow[]): string =>
  `${JSON.stringify(
    {
      gates: pending.map((gate) => ({
        run_id: gate.runId,
        gate: gate.gate,
        pending_since: gate.pendingSince,
        summary: gate.summary,
      })),
    },
    null,
    2,
  )}\n`

/** Far more than a person reads; the longest waiting come first. */
const most = 10_000

export interface GateFile {
  /** Requests a write after a commit that concerns gates; cheap, and safe to call too often. */
  refresh(): void
  /** Resolves when the file shows the state at the time of the last request. */
  settled(): Promise<void>
}

/** Keeps the file in step with the store: each version is written completely beside it and moved over it, one at a time. */
export function createGateFile({ db, path, log }: { db: Db; path: string; log: Log }): GateFile {
  let writing: Promise<void> | null = null
  let again = false

  async function write(): Promise<void> {
    try {
      const text = projectGates(await db.read((tx) => listGates(tx, 'pending', most)))
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${process.pid}`
      await writeFile(draft, text, { mode: 0o600 })
      await rename(draft, path)
    } catch (error) {
      // No run waits for this file; the next change, or the next start, writes it whole.
      log.warn('pending_gates.json could not be written', { path, error: String(error) })
    }
  }

  function refresh(): void {
    if (writing !== null) {
      again = true
      return
    }
    writing = write().finally(() => {
      writing = null
      if (!again) return
      again = false
      refresh()
    })
  }

  return {
    refresh,
    async settled() {
      while (writing !== null) await writing
    },
  }
}
