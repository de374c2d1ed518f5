import { renameSync, rmSync, writeFileSync } from 'node:fs'

import type { HomePaths } from './home.ts'

/** Writes the file that leads the CLI to this daemon. A half-written one would lead to a daemon that does not exist. */
export function writeDaemonFile(paths: HomePaths, content: Record<string, unknown>): void {
  const draft = `${paths.daemonFile}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, paths.daemonFile)
}

export const removeDaemonFile = (paths: HomePaths): void => rmSync(paths.daemonFile, { force: true })
