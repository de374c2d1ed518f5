import { lstat, readlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, sep } from 'node:path'

import type { WorkspacePolicy } from './port.ts'

/** Differences from the default policy, by configuration. */
export interface PolicyOverrides {
  readonly network?: Partial<WorkspacePolicy['network']>
  readonly limits?: { readonly [Name in keyof WorkspacePolicy['limits']]?: number | null | undefined }
}

/** Returns the limits for a runtime: a program needs little; a coding agent runs compilers and test suites. */
export function defaultPolicy(runtime: string, { network = {}, limits = {} }: PolicyOverrides = {}): WorkspacePolicy {
  const defaults = runtime === 'program' ? forPrograms : forCodingAgents
  return {
    network: { allowed: true, allow: [], block: [], private: [], ...network },
    limits: {
      maxProcesses: limits.maxProcesses ?? defaults.maxProcesses,
      maxMemoryMb: limits.maxMemoryMb ?? defaults.maxMemoryMb,
      maxDiskMb: limits.maxDiskMb ?? defaults.maxDiskMb,
    },
  }
}

const forPrograms = { maxProcesses: 10, maxMemoryMb: 2_048, maxDiskMb: 5_120 }
const forCodingAgents = { maxProcesses: 256, maxMemoryMb: 8_192, maxDiskMb: 20_480 }

/** `{mission_id}` is the workspace itself; `*` matches one path segment, `**` any number of them. */
export interface PathRules {
  readonly allowedWritePaths: readonly string[]
  readonly allowedReadPaths: readonly string[]
  /** Never writable, unless a more specific rule allows it. */
  readonly forbiddenPaths: readonly string[]
}

/**
 * The own workspace and the shared directory; never Agency's own files, never the system's. Patterns are relative to
 * the root.
 */
export const defaultPathRules: PathRules = {
  allowedWritePaths: ['{mission_id}/**', '{mission_id}/.agency/outbox/**'],
  allowedReadPaths: ['shared/**', '{mission_id}/**'],
  forbiddenPaths: ['.agency-global/**', '**/.agency/**', '/etc/**', '/home/**'],
}

export interface PathCheck {
  readonly access: 'write' | 'read'
  /** Absolute, or relative to the workspace. */
  readonly path: string
  /** The root of all workspaces, and this one; both absolute. */
  readonly root: string
  readonly workspace: string
}

export interface PathDecision {
  readonly allowed: boolean
  /** The pattern that decided, or `outside_workspace`. */
  readonly rule: string
  /** The real path, links resolved. */
  readonly path: string
}

/**
 * Decides whether a path may be accessed. Links are resolved before any comparison; of the matching patterns, the most
 * specific decides.
 */
export async function checkPath(rules: PathRules, check: PathCheck): Promise<PathDecision> {
  const { access, root, workspace } = check
  const path = await realPath(check.path, workspace)
  const roots = { root: (await realPath(root, sep)) ?? root, workspace: (await realPath(workspace, sep)) ?? workspace }
  if (path === null) return { allowed: false, rule: 'outside_workspace', path: check.path }
  const allowed = access === 'write' ? rules.allowedWritePaths : rules.allowedReadPaths
  const forbidden = access === 'write' ? rules.forbiddenPaths : []
  const allowing = mostSpecific(allowed, path, roots)
  const forbidding = mostSpecific(forbidden, path, roots)
  // If both are equally specific, access is denied.
  if (forbidding !== null && (allowing === null || forbidding.depth >= allowing.depth))
    return { allowed: false, rule: forbidding.pattern, path }
  if (allowing === null) return { allowed: false, rule: 'outside_workspace', path }
  return { allowed: true, rule: allowing.pattern, path }
}

interface Roots {
  readonly root: string
  readonly workspace: string
}

function mostSpecific(
  patterns: readonly string[],
  path: string,
  roots: Roots,
): { pattern: string; depth: number } | null {
  let best: { pattern: string; depth: number } | null = null
  for (const pattern of patterns) {
    const depth = depthOf(segments(absolutePattern(pattern, roots)), segments(path))
    if (depth !== null && depth > (best?.depth ?? -1)) best = { pattern, depth }
  }
  return best
}

function absolutePattern(pattern: string, { root, workspace }: Roots): string {
  if (pattern.startsWith('{mission_id}')) return workspace + pattern.slice('{mission_id}'.length)
  const named = pattern.replaceAll('{mission_id}', workspace)
  return isAbsolute(named) || named.startsWith('**') ? named : join(root, named)
}

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '')

/**
 * Returns the depth of the last segment that the pattern names, or null if it does not match. A deeper one is more
 * specific.
 */
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

const maxLinks = 40

/**
 * Resolves a path as the system does, link by link, also `..` after a link; a segment that does not exist yet keeps its
 * name. Null: a loop.
 */
async function realPath(path: string, base: string): Promise<string | null> {
  if (path.includes('\0')) return null
  const pending = segments(isAbsolute(path) ? path : join(base, '/') + path)
  let links = 0
  let at: string = sep
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
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
    if (links > maxLinks) return null
    const target = await readlink(next)
    if (isAbsolute(target)) at = sep
    pending.unshift(...segments(target))
  }
  return at
}
