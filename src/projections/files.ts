import { mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { Db, ReadTx } from '../db/port.ts'
import type { Jobs } from '../jobs/queue.ts'
import type { Log } from '../kernel/log.ts'

/** A file that shows rows of the store, for programs that watch a file instead of the API. */
export interface FileProjection {
  readonly name: string
  readonly path: string
  readonly render: (tx: ReadTx) => Promise<string>
}

export const projectionKind = 'project'

/** Returns the job that renders a file again, for the transaction that changes its rows. */
export const projectionJob = (name: string) => ({
  kind: projectionKind,
  key: name,
  payload: name,
  // A disk that is full today has room tomorrow, and nothing else would write the file then.
  maxTries: 1_000_000,
})

/**
 * Keeps files in step with the store. The job of a file is its cursor: it is added by the transaction that changes the
 * rows, also by that of another process, and stays until the file shows them. Its key lets one run at a time, each with a
 * newer snapshot than the last, so no version replaces a newer one.
 */
export function createFileProjections(
  { db, jobs, log }: { db: Db; jobs: Pick<Jobs, 'handle' | 'enqueue'>; log: Log },
  files: readonly FileProjection[],
) {
  const known = new Map(files.map((file) => [file.name, file]))
  jobs.handle(
    projectionKind,
    async ({ payload }) => {
      const file = known.get(String(payload))
      // An earlier version may have had another file.
      if (file === undefined) return
      try {
        await replace(file.path, await db.read(file.render))
      } catch (error) {
        log.warn(`the file of ${file.name} could not be written; it will be tried again`, {
          path: file.path,
          error: String(error),
        })
        throw error
      }
    },
    { backoff: [1_000, 5_000, 30_000, 60_000] },
  )
  return {
    /** Renders all files: one may be new, or another program may have changed it. */
    refresh: (): Promise<void> =>
      db.write([], async (tx) => {
        for (const { name } of files) await jobs.enqueue(tx, projectionJob(name))
      }),
  }
}

/** Writes the whole text beside the file and moves it over it: a reader sees the old version or the new one. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // The name is always the same, so that a kill leaves one draft behind at most.
  const draft = `${path}.draft`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, path)
}
