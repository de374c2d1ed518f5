import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

import { ownFiles } from '../../entries.ts'

/**
 * Returns the arguments of bubblewrap for the parts of this machine that every box shows: programs, libraries, and the
 * files they look up.
 */
export function systemArguments(): string[] {
  const node = realpathSync(process.execPath)
  return [...programs(), ...lookups(), ...nodeInstallation(node), ...readOnly([node, process.execPath, ...ownFiles()])]
}

/** Directories of the system, or links into /usr if the distribution has merged them. */
const systemDirectories = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']

function programs(): string[] {
  return systemDirectories.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return []
    return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
  })
}

/** Files of /etc: none that could contain a secret, and none that names other users of the machine. */
const files = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'java-21-openjdk',
  'java-17-openjdk',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'localtime',
  'magic',
  'mime.types',
  'os-release',
  'pki/ca-trust',
  'pki/tls/certs',
  'protocols',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'timezone',
]

const lookups = (): string[] => files.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`])

/**
 * Returns the parts of an installation of Node outside the system that belong to Node: its headers, its global packages,
 * and the links by which those are started. Other programs may be installed beside it, as in `~/.local`.
 */
export function nodeInstallation(node: string): string[] {
  if (isInSystem(node)) return []
  const prefix = dirname(dirname(node))
  const packages = join(prefix, 'lib/node_modules')
  // A link could lead anywhere.
  const parts = [join(prefix, 'include/node'), packages].filter(
    (path) => existsSync(path) && realpathSync(path) === path,
  )
  const links = parts.includes(packages) ? linksInto(packages, dirname(node)) : []
  return [...readOnly(parts), ...links.flatMap(([path, target]) => ['--symlink', target, path])]
}

const linksInto = (place: string, directory: string): [path: string, target: string][] =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }): [string, string] => [join(directory, name), readlinkSync(join(directory, name))])
    .filter(([, target]) => resolve(directory, target).startsWith(place + sep))

/** Binds paths read-only; a path in a system directory, which is shown anyway, needs no mount of its own. */
const readOnly = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter((path) => !isInSystem(path)).flatMap((path) => ['--ro-bind', path, path])

/** Returns Perl, which runs init, where every box shows it. */
export function findPerl(): string | null {
  const directories = ['/usr/bin', '/bin', ...(process.env['PATH'] ?? '').split(':')]
  const found = directories.map((directory) => join(directory, 'perl')).filter((path) => existsSync(path))
  return [...found, ...found.map((path) => realpathSync(path))].find(isInSystem) ?? null
}

export const isInSystem = (path: string): boolean =>
  systemDirectories.some((directory) => path === directory || path.startsWith(directory + sep))
