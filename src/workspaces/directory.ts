import { lstat, mkdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { type Clock, systemClock } from '../kernel/clock.ts'
import { bug } from '../kernel/errors.ts'
import { runCommand } from './command.ts'
import { readInside, writeInside } from './files.ts'
import { agencyDirectory, isPlainName, outbox } from './path.ts'
import { enterPlainly } from './plain.ts'
import type { Workspace, Workspaces } from './port.ts'

/** Workspaces as directories: `root/<run>/<brief>`, and beside each its HOME, `<brief>.home`. */
export function createDirectoryWorkspaces({ root, clock = systemClock }: { root: string; clock?: Clock }): Workspaces {
  return {
    prepare: async (brief) => {
      if (!isPlainName(brief.runId) || !isPlainName(brief.id))
        throw bug(`no directory can be called "${brief.runId}/${brief.id}"`)
      await mkdir(root, { recursive: true, mode: 0o700 })
      const base = await realpath(root)
      const run = await ownDirectory(join(base, brief.runId))
      const path = await ownDirectory(join(run, brief.id))
      await ownDirectory(join(path, agencyDirectory))
      // What an earlier attempt put there must not speak for this one.
      await rm(join(path, outbox), { recursive: true, force: true })
      await ownDirectory(join(path, outbox))
      const home = await ownDirectory(`${path}.home`)
      return createWorkspace(path, home, brief.attemptId ?? null, clock)
    },
  }
}

function createWorkspace(path: string, home: string, launchId: string | null, clock: Clock): Workspace {
  const enter = enterPlainly(path)
  return {
    path,
    boxed: false,
    home,
    enter,
    read: (name, maxBytes) => readInside(path, name, maxBytes),
    write: (name, text) => writeInside(path, name, text),
    run: (command, limits) => runCommand({ command, workspace: { enter, home }, launchId, clock, ...limits }),
  }
}

/** An agent may have put a link or a file in the way; following it would make us write where it points. */
async function ownDirectory(path: string): Promise<string> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (found?.isDirectory()) return path
  if (found !== null) await rm(path, { force: true })
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return path
}
