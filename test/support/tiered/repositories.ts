import type { CollectedWork, Repositories } from '../../../src/repositories/port.ts'

export interface PlayedRepositories extends Repositories {
  /** Branches whose next merge conflicts, and in which files. */
  readonly conflicting: Map<string, readonly string[]>
  /** Whether an attempt leaves no commits. */
  isEmpty: boolean
  /** Rule of the secret that the next collected commit seems to hold. */
  secret: string | null
}

/** A repository without git: every merge succeeds, unless a test asks for a conflict. Git itself has tests of its own. */
export function createPlayedRepositories(): PlayedRepositories {
  let commits = 0
  const commit = (): string => `${++commits}`.padStart(40, 'c')
  const played: PlayedRepositories = {
    conflicting: new Map(),
    isEmpty: false,
    secret: null,
    locate: async (path) => path,
    inspect: async (path) => ({
      path,
      bare: false,
      shallow: false,
      branch: 'main',
      commit: 'a'.repeat(40),
      dirty: false,
      warnings: [],
    }),
    open: async (path, branch = 'main') => ({
      path,
      mirror: '/mirror',
      branch,
      base: 'a'.repeat(40),
      warnings: ['two remotes'],
    }),
    collect: async ({ allowed }: CollectedWork) => {
      const { secret } = played
      if (secret !== null && !allowed.includes(secret)) {
        played.secret = null
        return { outcome: 'secrets', found: [{ rule: secret, what: 'a key in .env' }] }
      }
      return played.isEmpty ? { outcome: 'empty' } : { outcome: 'collected', commit: commit(), files: [] }
    },
    keep: async () => null,
    merge: async ({ into }) => {
      for (const { branch } of into) {
        const files = played.conflicting.get(branch)
        played.conflicting.delete(branch)
        if (files !== undefined) return { outcome: 'conflict', files }
      }
      return { outcome: 'merged', commits: into.map(commit) }
    },
    revert: async () => ({ outcome: 'reverted', commit: commit() }),
    tree: async (_, of) => of,
    has: async () => true,
    contains: async () => true,
    checkLanding: async () => {},
    land: async (_, result) => ({ outcome: 'landed', commit: result.commit, from: null }),
    files: async () => [],
    diff: async () => ({ text: '', cut: false }),
    changes: async () => [],
    binaries: async () => [],
    text: async () => null,
    paths: async () => [],
    compare: async () => [],
    replaceFiles: async (_, of) => of,
  }
  return played
}
