import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

import { ownFiles } from '../../entries.ts'

/**
 * Returns the arguments of bubblewrap for the parts of this machine that every box shows: programs, libraries, and the
 * files they look up.
 */
export function systemArguments(): string[] {
  return [...programs(), ...lookups(), ...readOnly([...nodeFiles(), ...ownFiles()])]
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

/** Returns the Node program that runs this process, with its whole installation if it is part of one. */
function nodeFiles(): string[] {
  const program = realpathSync(process.execPath)
  const prefix = dirname(dirname(program))
  const isInstallation = ['include/node', 'lib/node_modules'].some((name) => existsSync(join(prefix, name)))
  return [program, ...(program === process.execPath ? [] : [process.execPath]), ...(isInstallation ? [prefix] : [])]
}

/** Binds paths read-only; a path in a system directory, which is shown anyway, needs no mount of its own. */
const readOnly = (paths: readonly string[]): string[] =>
  paths.filter((path) => !isInSystem(path)).flatMap((path) => ['--ro-bind', path, path])

/** Returns Perl, which runs init, where every box shows it. */
export function findPerl(): string | null {
  const directories = ['/usr/bin', '/bin', ...(process.env['PATH'] ?? '').split(':')]
  const found = directories.map((directory) => join(directory, 'perl')).filter((path) => existsSync(path))
  return [...found, ...found.map((path) => realpathSync(path))].find(isInSystem) ?? null
}

export const isInSystem = (path: string): boolean =>
  systemDirectories.some((directory) => path === directory || path.startsWith(directory + sep))
