import { lstat, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'

import { globalDirectory } from './tree.ts'
import type { WorkspaceRules } from './contract.ts'

export interface Access {
  allowed: boolean
  /** The pattern that decided, or `outside_workspace` where none speaks of it. */
  rule: string
  /** Where it truly leads. */
  path: string
}

/** What holds unless a mission says otherwise. Limits are those of a program; a coding agent gets more processes. */
export const defaultRules: WorkspaceRules = {
  allowedWritePaths: ['{mission_id}/**', '{mission_id}/.agency/outbox/**'],
  allowedReadPaths: ['{mission_id}/**', 'shared/**'],
  forbiddenPaths: [`${globalDirectory}/**`, '**/.agency/**', '/etc/**', '/home/**'],
  network: { allowed: true, allow: [], block: [] },
  limits: { maxProcesses: 10, maxMemoryMb: 2_048, maxDiskMb: 5_120, maxRuntimeMinutes: 30 },
}

/**
 * Whether something inside a workspace may be written or read. Links are followed first, so that a name inside that
 * leads outside is judged by where it leads. Of all rules that speak of a path the most specific wins, so that a
 * workspace below /home works; of two alike, the one that forbids.
 */
export async function decideAccess(
  rules: WorkspaceRules,
  place: { root: string; workspace: string },
  access: 'write' | 'read',
  path: string,
): Promise<Access> {
  const root = await realpath(place.root)
  const workspace = join(root, place.workspace)
  const real = await whereItLeads(isAbsolute(path) ? path : join(workspace, sep, '.', sep) + path)
  const matching = (patterns: readonly string[], allowed: boolean) =>
    patterns.map((pattern) => ({
      allowed,
      rule: pattern,
      depth: depthOf(absolute(pattern, root, place.workspace), real),
    }))
  const spoken = [
    ...(access === 'write' ? matching(rules.forbiddenPaths, false) : []),
    ...matching(access === 'write' ? rules.allowedWritePaths : rules.allowedReadPaths, true),
  ].filter(({ depth }) => depth >= 0)
  // The first of equals stands, and those that forbid come first.
  const [decisive] = spoken.sort((a, b) => b.depth - a.depth)
  return decisive === undefined
    ? { allowed: false, rule: 'outside_workspace', path: real }
    : { allowed: decisive.allowed, rule: decisive.rule, path: real }
}

function absolute(pattern: string, root: string, workspace: string): string {
  const filled = pattern.replaceAll('{mission_id}', workspace)
  return isAbsolute(filled) || filled.startsWith('**') ? filled : join(root, filled)
}

/** How far into the path a pattern's last own word reaches; -1 where it does not match. */
function depthOf(pattern: string, path: string): number {
  const words = pattern.split('/').filter((word) => word !== '')
  const names = path.split('/').filter((name) => name !== '')
  const match = (word: number, name: number, depth: number): number => {
    if (word === words.length) return name === names.length ? depth : -1
    if (words[word] === '**') {
      if (word === words.length - 1) return depth
      let deepest = -1
      for (let at = name; at <= names.length; at += 1) deepest = Math.max(deepest, match(word + 1, at, depth))
      return deepest
    }
    const here = names[name]
    return here !== undefined && isLike(words[word] as string, here) ? match(word + 1, name + 1, name + 1) : -1
  }
  return match(0, 0, 0)
}

const isLike = (word: string, name: string): boolean =>
  word === name ||
  (word.includes('*') &&
    new RegExp(`^${word.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*')}$`).test(name))

const maxLinks = 40

/** Like realpath, but also for what is not there yet, and `..` after a link is the parent of where the link leads. */
async function whereItLeads(path: string): Promise<string> {
  let place = '/'
  const waiting = path.split('/').reverse()
  for (let links = 0, name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      place = dirname(place)
      continue
    }
    const next = join(place, name)
    const target = (await lstat(next).catch(() => null))?.isSymbolicLink()
      ? await readlink(next).catch(() => null)
      : null
    if (target === null || ++links > maxLinks) {
      place = next
      continue
    }
    if (isAbsolute(target)) place = '/'
    waiting.push(...target.split('/').reverse())
  }
  return place
}
