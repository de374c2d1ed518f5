import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

import { AgencyError, bug, refusal } from '../kernel/errors.ts'

/**
 * Paths of content are relative to the data root, such as `personas/architect-robbo-3/skill.md`. Wherever a name comes
 * from, nothing is opened before its path has been followed, link by link, and found to end below the root.
 */
export const organisationPath = (slug: string, file?: string): string => contentPath('organisations', slug, file)
export const personaPath = (slug: string, file?: string): string => contentPath('personas', slug, file)

const areas = ['organisations', 'personas', 'templates'] as const

function contentPath(area: (typeof areas)[number], slug: string, file: string | undefined): string {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) || slug.length > 128)
    throw refusal('forbidden', `"${slug.slice(0, 200)}" cannot name a directory`)
  return file === undefined ? `${area}/${slug}` : `${area}/${slug}/${file}`
}

const isSafe = (segment: string): boolean =>
  segment !== '' && segment !== '.' && segment !== '..' && !segment.includes('\0') && segment.length < 256

const notContentPath = (path: string): AgencyError =>
  refusal('forbidden', `${JSON.stringify(path.slice(0, 200))} is not a path for content`)

/** Resolves the root: it may itself be a link, and may be changed to another target while the daemon runs. */
export function realRoot(root: string): string {
  try {
    return realpathSync(root)
  } catch (error) {
    throw unusableData(root, error)
  }
}

export function prepareRoot(root: string): string {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    const real = realpathSync(root)
    for (const area of areas)
      if (lstatSync(join(real, area), { throwIfNoEntry: false }) === undefined) mkdirSync(join(real, area))
    return real
  } catch (error) {
    throw unusableData(root, error)
  }
}

/**
 * Resolves a content path to a path below the real root: existing segments are followed, the others are taken as named.
 */
export function follow(base: string, path: string): string {
  if (!areas.some((area) => path.startsWith(`${area}/`))) throw notContentPath(path)
  return followPath(base, path)
}

/**
 * Resolves a path that `follow` has returned before: a link may have led it out of its area, though never out of the
 * root.
 */
export function followPath(base: string, path: string): string {
  const segments = path.split('/')
  if (!segments.every(isSafe)) throw notContentPath(path)
  let resolved = base
  for (const [index, segment] of segments.entries()) {
    const next = join(resolved, segment)
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (found === undefined) return relative(base, join(resolved, ...segments.slice(index)))
    resolved = found.isSymbolicLink() ? followLink(base, next, path) : next
    if (index < segments.length - 1 && !found.isSymbolicLink() && !found.isDirectory())
      throw refusal(
        'store_unusable',
        `${join(...segments.slice(0, index + 1))} in the data directory is not a directory`,
      )
  }
  return relative(base, resolved)
}

function followLink(base: string, link: string, path: string): string {
  let target: string
  try {
    target = realpathSync(link)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ELOOP') throw badLink('nowhere', path, link)
    throw error
  }
  if (!target.startsWith(base.endsWith(sep) ? base : base + sep))
    throw badLink('outside the data directory', path, link)
  return target
}

const badLink = (where: string, path: string, link: string): AgencyError =>
  refusal('forbidden', `${path} is not used: a link in its path leads ${where}`, {
    hint: `Replace the link ${link} with its intended content; the data directory itself may be a link.`,
  })

/** Translates a system error about the data directory into an actionable message. */
export function unusableData(root: string, error: unknown): AgencyError {
  if (error instanceof AgencyError) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return refusal('store_full', `the disk that holds ${root} is full; nothing was changed`, {
      hint: 'Free some space, then repeat the command.',
      cause: error,
    })
  const reason = reasons[code]
  if (reason === undefined) return bug(`${root}: ${error instanceof Error ? error.message : String(error)}`)
  return refusal('store_unusable', `the data directory ${root} cannot be used: ${reason}; nothing was changed`, {
    hint: 'Point AGENCY_DATA at a directory that you may write to.',
    cause: error,
  })
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: 'it is on a read-only file system',
  EACCES: 'it is not writable',
  EPERM: 'it is not writable',
  ENOTDIR: 'part of its path is not a directory',
  EEXIST: 'another file has its name',
  ENOENT: 'it does not exist',
  EISDIR: 'a directory has the path of a file',
  EXDEV: 'a part of it is on another disk',
  EIO: 'the disk has errors',
  ELOOP: 'its links form a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'its path is too long',
}
