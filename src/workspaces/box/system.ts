import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

import { ownFiles } from '../../entries.ts'

/** What of this machine every box shows, as arguments of bubblewrap: programs and libraries, and what they look up. */
export function systemArguments(): string[] {
  return [...programs(), ...lookups(), ...readOnly([...nodeFiles(), ...ownFiles()])]
}

/** Directories of the system, or links into /usr where the distribution has merged them. */
const places = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']

function programs(): string[] {
  return places.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return []
    return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
  })
}

/** Nothing of /etc that could hold a secret, and nothing that says who else lives here. */
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

/** The program that runs us; with its whole installation, if that is what it is in. */
function nodeFiles(): string[] {
  const program = realpathSync(process.execPath)
  const prefix = dirname(dirname(program))
  const isInstallation = ['include/node', 'lib/node_modules'].some((name) => existsSync(join(prefix, name)))
  return [program, ...(program === process.execPath ? [] : [process.execPath]), ...(isInstallation ? [prefix] : [])]
}

/** What lies in a directory that is shown anyway needs no door of its own. */
const readOnly = (paths: readonly string[]): string[] =>
  paths.filter((path) => !isInSystem(path)).flatMap((path) => ['--ro-bind', path, path])

export const isInSystem = (path: string): boolean =>
  places.some((place) => path === place || path.startsWith(place + sep))
