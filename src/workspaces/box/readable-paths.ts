import { existsSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { type AgencyError, refusal } from '../../kernel/errors.ts'
import { homesHere } from './homes.ts'
import { isWithin, type Mount, mountsHere, namesOf } from './mounts.ts'
import { isInSystem } from './system.ts'

/**
 * Returns the mount that shows a path of the operator's choice in a box, read-only; an empty list if it is shown anyway.
 * Links are resolved first, and nothing is shown that is above, in or below a closed place.
 */
export function readOnlyBind(path: string, closed: readonly string[]): string[] {
  if (!existsSync(path)) throw refusal('invalid_input', `a box cannot show ${path}: it does not exist`)
  return shownBind(path, closed, (real, stats) => {
    const secret = [resolve(path), real].map(secretIn).find((each) => each !== null)
    if (secret !== undefined) throw exposing(path, secret)
    if (real.startsWith('/etc/') && !(stats.isFile() && (stats.mode & 0o004) !== 0))
      throw refusal('invalid_input', `a box cannot show ${path}: of /etc it shows files that every user may read`)
  })
}

/** Returns the mount that shows a program in a box, so that it can be started: one executable file, and nothing else. */
export function programBind(program: string, closed: readonly string[]): string[] {
  return shownBind(program, closed, (_, stats) => {
    if (!stats.isFile() || (stats.mode & 0o111) === 0)
      throw refusal('no_runtime', `cannot start "${program}": it is not executable`)
  })
}

function shownBind(path: string, closed: readonly string[], check: (real: string, stats: Stats) => void): string[] {
  const named = resolve(path)
  if (isInSystem(named) || !existsSync(named)) return []
  const real = realpathSync(named)
  const stats = statSync(real)
  if (!stats.isFile() && !stats.isDirectory())
    throw refusal('invalid_input', `a box cannot show ${path}: it is neither a file nor a directory`)
  const mounts = mountsHere()
  const names = (places: readonly string[]): string[] => places.flatMap((place) => namesOf(place, mounts))
  const [hiddenPlaces, homes] = [names(closed), names(homesHere())]
  for (const each of [named, real]) {
    const place = hiddenPlaces.find((hidden) => isWithin(each, hidden) || isWithin(hidden, each))
    const exposed = place ?? [...neverWhole, ...homes].find((hidden) => isWithin(hidden, each))
    if (exposed !== undefined) throw exposing(path, exposed)
  }
  const kernel = ofKernel.find((hidden) => isWithin(real, hidden))
  if (kernel !== undefined) throw exposing(path, kernel)
  check(real, stats)
  const isSame = real === named
  // The checked file is mounted, wherever the link leads by then.
  const atName = ['--ro-bind', real, named]
  return isSame || isInSystem(real) ? atName : ['--ro-bind', real, real, ...atName]
}

const exposing = (path: string, exposed: string): AgencyError =>
  refusal('invalid_input', `a box cannot show ${path}: it would expose ${exposed}`, {
    hint: 'Name only the files or the directory that is needed, outside of places with secrets.',
  })

/** Directories of which only a part may be shown. */
const neverWhole = ['/dev', '/etc', '/home', '/proc', '/root', '/run', '/sys', '/tmp', '/var/run']
/** Directories of the kernel and of running services: nothing below them may be shown. */
const ofKernel = ['/proc', '/run', '/sys']

/** Returns the secret that a path names, lies in, or contains, or null. */
function secretIn(path: string): string | null {
  const inside = secrets.find((name) => `${path}/`.includes(`/${name}/`))
  if (inside !== undefined) return inside
  return secretsBelow([path], mountsHere())[0] ?? null
}

/** Returns the secrets of home directories that exist in these directories, by every path that leads to them. */
export function secretsBelow(directories: readonly string[], mounts: readonly Mount[]): string[] {
  const homes = new Set(homesHere().flatMap((home) => namesOf(home, mounts)))
  return directories.flatMap((directory) =>
    [...homes]
      .filter((home) => isWithin(home, directory) || isWithin(directory, home))
      .flatMap((home) => secrets.map((name) => join(home, name)))
      .filter((secret) => isWithin(secret, directory) && existsSync(secret)),
  )
}

/** Files and directories in which programs keep keys, passwords and sessions, as they are called in a home directory. */
const secrets = `
  .agency .aws .azure .bash_history .cargo/credentials .cargo/credentials.toml .claude .claude.json .codex
  .config/1Password .config/BraveSoftware .config/chromium .config/gcloud .config/gh .config/google-chrome .config/op
  .config/rclone .config/sops .docker .gem/credentials .gemini .git-credentials .gnupg .kube .local/share/keyrings
  .local/share/kwalletd .mozilla .netrc .npmrc .password-store .pgpass .pki .pypirc .ssh .terraform.d .thunderbird
  .vault-token .zsh_history`
  .trim()
  .split(/\s+/)
