import { shorten } from '../../kernel/text.ts'
import type { FileChange } from '../../repositories/port.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { leadsOut, oddSubmodules } from './leads-out.ts'

/** Up to so many changes of one sort have a line each; more share one. */
const mostSingle = 3

/**
 * Finds changes whose content neither a check nor a person can see: commits of submodules, text that became binary, and
 * links and submodules that lead to files or programs of the machine on which the merged work is opened.
 */
export async function findHidden(
  { repositories }: EngineDeps,
  { run, brief }: Claimed,
  commit: string | null,
  changes: readonly FileChange[],
): Promise<Odd[]> {
  const { repository } = run
  const { startCommit: start } = brief
  if (repositories === undefined || repository === null || start === null || commit === null) return []
  const submodules = changes.filter(({ isSubmodule }) => isSubmodule === true)
  const own = new Set(changes.map(({ path }) => path))
  const binaries = changes.length === 0 ? [] : await repositories.binaries(repository.mirror, start, commit)
  const hidden = binaries.filter(({ path, was }) => own.has(path) && (was === 'text' || isSource(path)))
  const read = (path: string): Promise<string | null> => repositories.text(repository.mirror, commit, path)
  return [
    ...linesOf('link', await linksOut(changes, read), (names) => `${names} are links that lead out of the repository`),
    ...(await submoduleSettings(changes, read)),
    ...linesOf(
      'submodule',
      submodules.map((change) => ({ path: change.path, text: `${named(change.path)}: ${submoduleText(change)}` })),
      (names) => `${names}: the submodules changed; their files were not checked`,
    ),
    ...linesOf(
      'binary',
      hidden.map(({ path, was }) => ({
        path,
        text:
          was === 'text'
            ? `${named(path)} is binary now: no diff shows it`
            : `${named(path)} is new and binary: no diff shows it`,
      })),
      (names) => `${names} are binary now: no diff shows them`,
    ),
  ]
}

type Read = (path: string) => Promise<string | null>

/** More links than anybody reads; each is read from git. */
const maxLinks = 200

async function linksOut(changes: readonly FileChange[], read: Read): Promise<{ path: string; text: string }[]> {
  const links = changes.filter(({ isLink, status }) => isLink && status !== 'deleted')
  const found: { path: string; text: string }[] = []
  for (const { path } of links.slice(0, maxLinks)) {
    const where = leadsOut(path, (await read(path)) ?? '/')
    if (where !== null) found.push({ path, text: `${named(path)} ${where}` })
  }
  if (links.length > maxLinks)
    found.push({ path: '.', text: `${links.length - maxLinks} further links were not looked at` })
  return found
}

async function submoduleSettings(changes: readonly FileChange[], read: Read): Promise<Odd[]> {
  const settings = changes.find(({ path, status }) => path === '.gitmodules' && status !== 'deleted')
  const faults = settings === undefined ? [] : oddSubmodules(await read(settings.path))
  return faults.length === 0
    ? []
    : [{ kind: 'submodule', path: '.gitmodules', text: shorten(`.gitmodules: ${faults.join(', ')}`, 500) }]
}

function submoduleText({ status }: FileChange): string {
  if (status === 'deleted') return 'the submodule was removed'
  if (status === 'added') return 'the submodule is new; its files were not checked'
  return 'the submodule points to another commit; its files were not checked'
}

/** New pictures and archives are binary by nature; text with a NUL byte is not. */
const isSource = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|[ch]|cpp|hpp|cs|php|pl|lua|swift|scala|sh|json|ya?ml|toml|md|html|css|sql|txt)$/i.test(
    path,
  )

function linesOf(
  kind: Odd['kind'],
  found: readonly { path: string; text: string }[],
  together: (names: string) => string,
): Odd[] {
  if (found.length <= mostSingle) return found.map(({ path, text }) => ({ kind, path, text }))
  const names = found.slice(0, mostSingle).map(({ path }) => named(path))
  return [{ kind, path: null, text: together(`${names.join(', ')} and ${found.length - names.length} more`) }]
}

/** The name of a file is an agent's text. */
const named = (path: string): string => shorten(path.replace(/\p{Cc}/gu, '?'), 200)
