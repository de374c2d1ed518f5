import { lstat, readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'

import type { WorkspacePolicy } from './port.ts'

/** What differs from the usual, by configuration. */
export interface PolicyOverrides {
  readonly network?: Partial<WorkspacePolicy['network']>
  readonly limits?: { readonly [Name in keyof WorkspacePolicy['limits']]?: number | null | undefined }
}

/** A program gets by with little; a coding agent runs compilers and test suites. */
export function defaultPolicy(runtime: string, { network = {}, limits = {} }: PolicyOverrides = {}): WorkspacePolicy {
  const usual = runtime === 'program' ? forPrograms : forCodingAgents
  return {
    network: { allowed: true, allow: [], block: [], private: [], ...network },
    limits: {
      maxProcesses: limits.maxProcesses ?? usual.maxProcesses,
      maxMemoryMb: limits.maxMemoryMb ?? usual.maxMemoryMb,
      maxDiskMb: limits.maxDiskMb ?? usual.maxDiskMb,
    },
  }
}

const forPrograms = { maxProcesses: 10, maxMemoryMb: 2_048, maxDiskMb: 5_120 }
const forCodingAgents = { maxProcesses: 256, maxMemoryMb: 8_192, maxDiskMb: 20_480 }

/** `{mission_id}` is the workspace itself; `*` is a part of a path, `**` any number of them. */
export interface PathRules {
  readonly allowedWritePaths: readonly string[]
  readonly allowedReadPaths: readonly string[]
  /** Never written, unless a rule that says more allows it. */
  readonly forbiddenPaths: readonly string[]
}

/** Own workspace and what is shared; never what is ours in it, never the machine's own. Patterns are seen from the root. */
export const defaultPathRules: PathRules = {
  allowedWritePaths: ['{mission_id}/**', '{mission_id}/.agency/outbox/**'],
  allowedReadPaths: ['shared/**', '{mission_id}/**'],
  forbiddenPaths: ['.agency-global/**', '**/.agency/**', '/etc/**', '/home/**'],
}

export interface PathCheck {
  readonly access: 'write' | 'read'
  /** Absolute, or as seen from the workspace. */
  readonly path: string
  /** Where workspaces lie, and this one; both absolute. */
  readonly root: string
  readonly workspace: string
}

export interface PathDecision {
  readonly allowed: boolean
  /** The pattern that decided, or `outside_workspace`. */
  readonly rule: string
  /** Where it truly leads. */
  readonly path: string
}

/** Links are followed before anything is compared; of the patterns that match, the one that says most decides. */
export async function checkPath(rules: PathRules, question: PathCheck): Promise<PathDecision> {
  const { access, root, workspace } = question
  const path = await realPath(question.path, workspace)
  const places = { root: (await realPath(root, sep)) ?? root, workspace: (await realPath(workspace, sep)) ?? workspace }
  if (path === null) return { allowed: false, rule: 'outside_workspace', path: question.path }
  const allowed = access === 'write' ? rules.allowedWritePaths : rules.allowedReadPaths
  const forbidden = access === 'write' ? rules.forbiddenPaths : []
  const yes = bestOf(allowed, path, places)
  const no = bestOf(forbidden, path, places)
  // Where both say as much, no is the answer.
  if (no !== null && (yes === null || no.depth >= yes.depth)) return { allowed: false, rule: no.pattern, path }
  if (yes === null) return { allowed: false, rule: 'outside_workspace', path }
  return { allowed: true, rule: yes.pattern, path }
}

interface Places {
  readonly root: string
  readonly workspace: string
}

function bestOf(patterns: readonly string[], path: string, places: Places): { pattern: string; depth: number } | null {
  let best: { pattern: string; depth: number } | null = null
  for (const pattern of patterns) {
    const depth = depthOf(segments(whole(pattern, places)), segments(path))
    if (depth !== null && depth > (best?.depth ?? -1)) best = { pattern, depth }
  }
  return best
}

function whole(pattern: string, { root, workspace }: Places): string {
  if (pattern.startsWith('{mission_id}')) return workspace + pattern.slice('{mission_id}'.length)
  const named = pattern.replaceAll('{mission_id}', workspace)
  return isAbsolute(named) || named.startsWith('**') ? named : join(root, named)
}

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** How far down the path the last part lies that the pattern names, or null where it does not match. Deeper says more. */
function depthOf(pattern: readonly string[], path: readonly string[], at = 0, named = 0): number | null {
  const [first, ...rest] = pattern
  if (first === undefined) return at === path.length ? named : null
  if (first === '**') {
    let best: number | null = null
    for (let skipped = path.length; skipped >= at; skipped -= 1) {
      const depth = depthOf(rest, path, skipped, named)
      if (depth !== null && depth > (best ?? -1)) best = depth
    }
    return best
  }
  const part = path[at]
  if (part === undefined || !matches(first, part)) return null
  return depthOf(rest, path, at + 1, first === '*' ? named : at + 1)
}

const matches = (pattern: string, part: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.*')}$`,
    's',
  ).test(part)

const mostLinks = 40

/** As the system would walk it, link by link, `..` after a link too; what is not there yet keeps its name. Null: a loop. */
async function realPath(path: string, base: string): Promise<string | null> {
  if (path.includes('\0')) return null
  const waiting = segments(isAbsolute(path) ? path : join(base, '/') + path)
  let links = 0
  let at: string = sep
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    if (part === '.') continue
    if (part === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, part)
    const found = await lstat(next).catch(() => null)
    if (found?.isSymbolicLink() !== true) {
      at = next
      continue
    }
    links += 1
    if (links > mostLinks) return null
    const target = await readlink(next)
    if (isAbsolute(target)) at = sep
    waiting.unshift(...segments(target))
  }
  return at
}
