import { createWriteStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Clock } from '../kernel/clock.ts'
import { shorten } from '../kernel/text.ts'
import { breachText } from '../workspaces/breach.ts'
import { type WorkspaceProcess, startInWorkspace } from '../workspaces/process.ts'
import type { Workspace } from '../workspaces/port.ts'
import { type Author, authorEnvironment } from './author.ts'
import { errorLine, gitEnvironment, GitError, isFull } from './git.ts'
import { distrustingSettings, safeSettings } from './safe-git-config.ts'

export interface Packing {
  readonly workspace: Workspace
  readonly mirror: string
  readonly start: string
  readonly message: string
  readonly author: Author
  /** The file for the pack. */
  readonly into: string
  readonly maxBytes: number
  readonly timeoutMs: number
  /** Its processes carry it as AGENCY_LAUNCH_ID. */
  readonly ref: string
  readonly signal?: AbortSignal | undefined
  readonly clock: Clock
}

export type Packed =
  | { readonly outcome: 'packed'; readonly commit: string }
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'refused'; readonly why: string }

/**
 * Commits an agent's files and packs everything since its start: all of it runs in the workspace, none of it in the
 * daemon.
 */
export async function packWork(packing: Packing): Promise<Packed> {
  const { workspace, start, timeoutMs, signal, clock } = packing
  const broken = await brokenRepository(workspace, packing.mirror)
  if (broken !== null) return { outcome: 'refused', why: broken }
  const packer = await startInWorkspace(workspace, { ...specOf(packing), offline: true }, ['ignore', 'pipe', 'pipe'])
  let timedOut = false
  const cancel = clock.after(timeoutMs, () => {
    timedOut = true
    packer.signal('SIGKILL')
  })
  const abort = (): void => packer.signal('SIGKILL')
  signal?.addEventListener('abort', abort)
  if (signal?.aborted === true) abort()
  const { errors, isTooLarge, exitCode, isLost, breach } = await readPack(packer, packing).finally(() => {
    cancel()
    signal?.removeEventListener('abort', abort)
  })
  signal?.throwIfAborted()
  if (isTooLarge) return { outcome: 'refused', why: tooLarge(packing.maxBytes) }
  if (breach !== null) return { outcome: 'refused', why: `the work could not be collected: ${breachText(breach)}` }
  if (timedOut) return { outcome: 'refused', why: `the work could not be collected in ${timeoutMs / 1_000} seconds` }
  if (isLost === true) throw new GitError(`the work in ${workspace.path} could not be packed: its box was ended`)
  if (exitCode === stages.unchanged) return { outcome: 'empty' }
  const commit = /^agency-head ([0-9a-f]{40,64})$/m.exec(errors)?.[1]
  if (exitCode === 0 && commit !== undefined && commit.length === start.length) return { outcome: 'packed', commit }
  if (isFull(errors)) throw new GitError(`the work in ${workspace.path} could not be packed: ${errorLine(errors)}`)
  const reason = errorLine(errors.replace(/^agency-head .*$/m, '')) ?? `exit code ${exitCode}`
  return { outcome: 'refused', why: shorten(`${sentenceOf(exitCode)}: ${reason}`, 500) }
}

async function readPack(packer: WorkspaceProcess, { into, maxBytes }: Packing) {
  const stop = (): void => packer.signal('SIGKILL')
  const maxPackBytes = Math.ceil(maxBytes * 1.01) + 1024 ** 2
  const saved = save(packer.child.stdout, into, maxPackBytes, stop)
  // If the pack cannot be written, its source must stop too.
  saved.catch(stop)
  const [errors, { exitCode, isLost }] = await Promise.all([textOf(packer.child.stderr), packer.exited])
  const { breach } = await packer.leave()
  return { errors, exitCode, isLost, breach, isTooLarge: await saved }
}

export const tooLarge = (maxBytes: number): string =>
  `more than ${Math.round(maxBytes / 1024 ** 2)} MB were committed: large files do not belong in the repository`

/**
 * Checks the repository without following links: one that is elsewhere, or borrows objects from elsewhere, is not the
 * agent's.
 */
async function brokenRepository({ path, read }: Workspace, mirror: string): Promise<string | null> {
  const stats = await lstat(join(path, '.git')).catch(() => null)
  if (stats === null) return 'the .git directory is missing'
  if (!stats.isDirectory()) return 'the .git directory was replaced by something else'
  const alternates = await read('.git/objects/info/alternates', 4_096)
  if (alternates === null) return 'the .git directory is broken: it no longer names the objects that it borrows'
  return alternates.text === `${join(mirror, 'objects')}\n` ? null : 'the .git directory borrows objects from elsewhere'
}

/** Exit codes of the script below. */
const stages = {
  noHead: 30,
  unreadable: 31,
  unadded: 32,
  uncommitted: 33,
  unchanged: 34,
  unpacked: 35,
  unresolved: 36,
} as const

const sentenceOf = (exitCode: number | null): string =>
  ({
    [stages.noHead]: 'the .git directory is broken: HEAD has no commit',
    [stages.unreadable]: 'the .git directory is broken',
    [stages.unadded]: 'the uncommitted files cannot be committed',
    [stages.uncommitted]: 'the uncommitted files cannot be committed',
    [stages.unpacked]: 'the commits cannot be read',
    [stages.unresolved]: 'a merge was started and its conflicts are still in the files',
  })[exitCode ?? -1] ?? 'the work could not be collected'

/** Caches that tools write beside the work by themselves: uncommitted ones are not the agent's work. */
const neverAdded = [
  '/.agency/',
  '__pycache__/',
  '.pytest_cache/',
  '.mypy_cache/',
  '.ruff_cache/',
  '.eslintcache',
  '.DS_Store',
]

/**
 * Works in a second repository on the same files, with the clone's objects and nothing else of it: no setting, attribute,
 * filter or flag of the agent decides which of its files are committed. From the clone only HEAD is read, and moved; and
 * an unfinished merge, which the agent may have resolved only in its files.
 */
const script = String.raw`
start=$0 format=$1 message=$2
ulimit -v 8388608 2>/dev/null
clone=$PWD/.git
in_clone() { git --git-dir="$clone" "$@"; }
head=$(in_clone rev-parse --quiet --verify 'HEAD^{commit}') || exit ${stages.noHead}
own=$(mktemp -d) || exit ${stages.unreadable}
trap 'rm -rf "$own"' EXIT
git init --quiet --bare --template= --object-format="$format" "$own/git" || exit ${stages.unreadable}
[ ! -f "$clone/shallow" ] || cp "$clone/shallow" "$own/git/shallow"
mkdir "$own/git/info" && printf '%s\n' ${neverAdded.join(' ')} >"$own/git/info/exclude"
in_own() {
  GIT_DIR=$own/git GIT_WORK_TREE=$PWD GIT_OBJECT_DIRECTORY=$clone/objects GIT_INDEX_FILE=$own/index git "$@"
}
in_own read-tree "$head" || exit ${stages.unreadable}
in_own add --all || exit ${stages.unadded}
in_own rm -r --cached --quiet --ignore-unmatch -- .agency || exit ${stages.unadded}
tree=$(in_own write-tree) || exit ${stages.uncommitted}
merged=$(in_clone rev-parse --quiet --verify 'MERGE_HEAD^{commit}' 2>/dev/null) || merged=
if [ -n "$merged" ]; then
  left=$(in_clone ls-files -u -z --full-name | tr '\n\0' '\0\n' | cut -f2- | sort -u | tr '\n\0' '\0\n' | xargs -0 -r grep -l '^<<<<<<< ' --)
  [ -z "$left" ] || { printf '%s\n' "$left" >&2; exit ${stages.unresolved}; }
fi
also=
[ -z "$merged" ] || also="-p $merged"
if [ -n "$merged" ] || [ "$tree" != "$(in_own rev-parse "$head^{tree}")" ]; then
  head=$(printf '%s\n' "$message" | in_own commit-tree "$tree" -p "$head" $also) || exit ${stages.uncommitted}
  rm -f "$clone/MERGE_HEAD" "$clone/MERGE_MSG" "$clone/MERGE_MODE"
  rm -f "$clone/HEAD.lock" "$clone/index.lock"
  in_clone update-ref HEAD "$head" && cp "$own/index" "$clone/index"
fi
[ "$head" != "$start" ] || exit ${stages.unchanged}
printf 'agency-head %s\n' "$head" >&2
printf '%s\n' "$head" "^$start" | in_own -c core.bigFileThreshold=1m pack-objects --revs --stdout --thin --delta-base-offset -q ||
  exit ${stages.unpacked}
`

function specOf({ workspace, start, message, author, ref, clock }: Packing) {
  const settings = [...Object.entries(safeSettings), ...distrustingSettings]
  return {
    command: ['/bin/sh', '-c', script, start, start.length === 64 ? 'sha256' : 'sha1', shorten(message, 16_000)],
    environment: {
      ...gitEnvironment(),
      ...authorEnvironment(author, clock),
      HOME: workspace.home,
      AGENCY_LAUNCH_ID: ref,
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(
        settings.flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
    },
  } as const
}

/** Saves the output; resolves to whether it exceeded the limit, in which case the rest is not read. */
async function save(
  output: NodeJS.ReadableStream | null,
  into: string,
  maxBytes: number,
  stop: () => void,
): Promise<boolean> {
  let bytes = 0
  const bounded = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes <= maxBytes) return done(null, chunk)
      stop()
      done()
    },
  })
  if (output !== null) await pipeline(output, bounded, createWriteStream(into))
  return bytes > maxBytes
}

async function textOf(output: NodeJS.ReadableStream | null): Promise<string> {
  const chunks: Buffer[] = []
  let kept = 0
  for await (const chunk of output ?? []) {
    if (kept < keptErrorBytes) chunks.push((chunk as Buffer).subarray(0, keptErrorBytes - kept))
    kept += (chunk as Buffer).length
  }
  return Buffer.concat(chunks).toString('utf8')
}

const keptErrorBytes = 64 * 1024
