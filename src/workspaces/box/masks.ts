import { statSync } from 'node:fs'

import { isWithin, mountsHere, moved, namesOf } from './mounts.ts'
import { secretsBelow } from './readable-paths.ts'

export interface Masks {
  readonly mounts: readonly string[]
  /** Makes the masks themselves read-only, once everything below them is mounted. */
  readonly seals: readonly string[]
}

/**
 * Returns the mounts that hide closed places and the secrets of home directories where the mounts of a box would show
 * them: the home of the installation may be in a directory of the system, or be mounted below one.
 */
export function masksOf(shown: readonly string[], closed: readonly string[]): Masks {
  const mounts = mountsHere()
  const binds = bindsIn(shown)
  const sources = binds.map(([from]) => from)
  const hidden = [...closed.flatMap((place) => namesOf(place, mounts)), ...secretsBelow(sources, mounts)]
  const inside = binds.flatMap(([from, to]) =>
    hidden.filter((place) => isWithin(place, from)).map((place) => ({ place, path: moved(place, from, to) })),
  )
  const masks = inside
    .filter(({ path }, at) => inside.findIndex((each) => each.path === path) === at)
    .filter(({ path }) => !inside.some((other) => other.path !== path && isWithin(path, other.path)))
    .flatMap(({ place, path }) => {
      const stats = statSync(place, { throwIfNoEntry: false })
      return stats === undefined ? [] : [{ path, isDirectory: stats.isDirectory() }]
    })
  return {
    mounts: masks.flatMap(({ path, isDirectory }) =>
      isDirectory ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    ),
    seals: masks.flatMap(({ path, isDirectory }) => (isDirectory ? ['--remount-ro', path] : [])),
  }
}

const bindOptions = new Set(['--ro-bind', '--ro-bind-try'])

const bindsIn = (words: readonly string[]): [from: string, to: string][] =>
  words.flatMap((word, at): [string, string][] =>
    bindOptions.has(word) ? [[words[at + 1] as string, words[at + 2] as string]] : [],
  )
