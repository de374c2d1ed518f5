import { join } from 'node:path'

import { agencyDirectory, outbox } from './path.ts'

/** A directory of a workspace that its processes may read and not change, with the directories below it that they may change. */
export interface Guarded {
  readonly path: string
  readonly open: readonly string[]
}

/** Agency's own directory, with the inputs of the brief in it. */
export const agencyGuarded: readonly Guarded[] = [{ path: agencyDirectory, open: [outbox] }]

/** Mounts guarded directories over the agent's directory: a mount point cannot be moved away, nor can anything below it. */
export const guardedMounts = (workspace: string, guarded: readonly Guarded[]): string[] =>
  guarded.flatMap(({ path, open }) => [
    ...mounted('--ro-bind', join(workspace, path)),
    ...open.flatMap((each) => mounted('--bind', join(workspace, each))),
  ])

const mounted = (option: string, path: string): string[] => [option, path, path]
