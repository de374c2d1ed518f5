import { mkdirSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { Db } from '../../db/port.ts'
import type { Log } from '../../kernel/log.ts'
import type { GateRow } from './contract.ts'
import { listGates } from './store.ts'

/** For programs that watch a file instead of the API: what waits, and nothing that could be changed by writing here. */
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

/** Far more than anybody reads; those that wait longest come first. */
const most = 10_000

export interface GateFile {
  /** Something about gates was committed; cheap, and safe to call too often. */
  refresh(): void
  /** Resolves when the file tells what was so when it was last asked. */
  settled(): Promise<void>
}

/** Keeps the file as the store is: written whole beside it and moved over it, one at a time. */
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
