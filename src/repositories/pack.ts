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
import { safeSettings } from './safe-git-config.ts'

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
  readonly clock: Clock
}

export type Packed =
  | { readonly outcome: 'packed'; readonly commit: string }
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'refused'; readonly why: string }

/** Commits what an agent left and packs what is new since its start: all of it in the workspace, none of it in our hands. */
export async function packWork(packing: Packing): Promise<Packed> {
  const { workspace, start, timeoutMs, clock } = packing
  const broken = await brokenRepository(workspace, packing.mirror)
  if (broken !== null) return { outcome: 'refused', why: broken }
  const inside = await startInWorkspace(workspace, { ...entryOf(packing), offline: true }, ['ignore', 'pipe', 'pipe'])
  let timedOut = false
  const cancel = clock.after(timeoutMs, () => {
    timedOut = true
    inside.signal('SIGKILL')
  })
  const { errors, isTooLarge, exitCode, breach } = await heard(inside, packing).finally(cancel)
  if (isTooLarge) return { outcome: 'refused', why: tooLarge(packing.maxBytes) }
  if (breach !== null) return { outcome: 'refused', why: `its work could not be collected: ${breachText(breach)}` }
  if (timedOut) return { outcome: 'refused', why: `its work could not be collected in ${timeoutMs / 1_000} seconds` }
  if (exitCode === stages.unchanged) return { outcome: 'empty' }
  const commit = /^agency-head ([0-9a-f]{40,64})$/m.exec(errors)?.[1]
  if (exitCode === 0 && commit !== undefined && commit.length === start.length) return { outcome: 'packed', commit }
  if (isFull(errors)) throw new GitError(`the work in ${workspace.path} could not be packed: ${errorLine(errors)}`)
  const complaint = errorLine(errors.replace(/^agency-head .*$/m, '')) ?? `exit code ${exitCode}`
  return { outcome: 'refused', why: shorten(`${sentenceOf(exitCode)}: ${complaint}`, 500) }
}

async function heard(inside: WorkspaceProcess, { into, maxBytes }: Packing) {
  const stop = (): void => inside.signal('SIGKILL')
  const maxPackBytes = Math.ceil(maxBytes * 1.01) + 1024 ** 2
  const saved = save(inside.child.stdout, into, maxPackBytes, stop)
  // Nobody reads on where it cannot be written down.
  saved.catch(stop)
  const [errors, { exitCode }] = await Promise.all([textOf(inside.child.stderr), inside.exited])
  const { breach } = await inside.leave()
  return { errors, exitCode, breach, isTooLarge: await saved }
}

export const tooLarge = (maxBytes: number): string =>
  `more than ${Math.round(maxBytes / 1024 ** 2)} MB were committed: large files do not belong into the repository`

/** Looked at without following anything: a repository that is elsewhere, or borrows from elsewhere, is not the agent's. */
async function brokenRepository({ path, read }: Workspace, mirror: string): Promise<string | null> {
  const found = await lstat(join(path, '.git')).catch(() => null)
  if (found === null) return 'its .git is gone'
  if (!found.isDirectory()) return 'its .git was replaced by something else'
  const alternates = await read('.git/objects/info/alternates', 4_096)
  if (alternates === null) return 'its .git is broken: the objects that it borrows are not named any more'
  return alternates.text === `${join(mirror, 'objects')}\n` ? null : 'its .git borrows objects from elsewhere'
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
    [stages.noHead]: 'its .git is broken: there is no commit at HEAD',
    [stages.unreadable]: 'its .git is broken',
    [stages.unadded]: 'what it left cannot be committed',
    [stages.uncommitted]: 'what it left cannot be committed',
    [stages.unpacked]: 'its commits cannot be read',
    [stages.unresolved]: 'a merge was begun and its conflicts are still in the files',
  })[exitCode ?? -1] ?? 'its work could not be collected'

/**
 * A repository of our own, in the same place, with the clone's objects and nothing else of it: no setting, attribute,
 * filter or flag of the agent's decides what of its files is committed. Only HEAD is asked of the clone, and moved in it;
 * and a merge that was begun, which the agent may have settled in its files alone.
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
mkdir "$own/git/info" && printf '/.agency/\n' >"$own/git/info/exclude"
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
printf '%s\n' "$head" "^$start" | in_own pack-objects --revs --stdout --thin --delta-base-offset -q ||
  exit ${stages.unpacked}
`

function entryOf({ workspace, start, message, author, clock }: Packing) {
  const settings = Object.entries(safeSettings)
  return {
    command: ['/bin/sh', '-c', script, start, start.length === 64 ? 'sha256' : 'sha1', shorten(message, 16_000)],
    environment: {
      ...gitEnvironment(),
      ...authorEnvironment(author, clock),
      HOME: workspace.home,
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

/** Says whether it was more than it may be; then the rest is not read. */
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
