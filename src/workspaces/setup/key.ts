import { createHash } from 'node:crypto'
import { readFile, realpath, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'

import type { CommitFiles, SetupPlan } from './plan.ts'

/** The means of a setup that are not in its plan. */
export interface SetupMeans {
  readonly files: CommitFiles
  readonly isBoxed: boolean
  /** Files of the operator, such as registry settings. */
  readonly operatorFiles: readonly string[]
  /** Returns the id of the whole tree. */
  readonly tree: () => Promise<string | null>
}

/**
 * Names the result of an installation by everything that determines it: the command, the files of the commit that it
 * reads, the files of the operator, the programs and the system. Null: it may depend on any file of the commit, and the
 * tree is not known.
 */
export async function keyOf(
  { command, install, environment, inputs, programs }: SetupPlan,
  { files, isBoxed, operatorFiles, tree }: SetupMeans,
): Promise<string | null> {
  const hash = createHash('sha256')
  const add = (...words: readonly (string | null)[]): void => void hash.update(JSON.stringify(words)).update('\n')
  // A box shows other programs, and the checkout at another path.
  add('2', command, install.online, install.offline ?? null, JSON.stringify(environment ?? {}), String(isBoxed))
  add(...(await systemIdentity()))
  for (const program of programs) add(program, ...(await identityOf(program)))
  for (const path of operatorFiles) add(path, await hashOf(path))
  if (inputs === null) {
    const id = await tree()
    if (id === null) return null
    add('tree', id)
  } else for (const input of inputs) add(input, await files.read(input))
  return hash.digest('hex')
}

/** Compiled packages depend on the system and its C library too. */
const systemIdentity = async (): Promise<string[]> => [
  process.platform,
  process.arch,
  libraryVersion(),
  await readFile('/etc/os-release', 'utf8').catch(() => ''),
]

let knownLibrary: string | null = null

/** Returns the version of glibc; empty for another C library, which `os-release` tells apart. */
function libraryVersion(): string {
  if (knownLibrary !== null) return knownLibrary
  // The report would list the network and its names, which takes long; the types do not know the switch yet.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return (knownLibrary = header?.glibcVersionRuntime ?? '')
}

/** Identifies a program by its file: asking it for its version would take longer than most setups need. */
async function identityOf(program: string): Promise<string[]> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    if (directory === '') continue
    const found = await stat(join(directory, program)).catch(() => null)
    if (found?.isFile() !== true) continue
    const path = await realpath(join(directory, program))
    return [path, String(found.size), String(found.mtimeMs), await packageOf(path)]
  }
  return []
}

/** The files of npm packages have the same time in every version, and the one that starts them the same size. */
async function packageOf(path: string): Promise<string> {
  for (let at = dirname(path), depth = 0; depth < 3 && dirname(at) !== at; at = dirname(at), depth += 1) {
    const text = await readFile(join(at, 'package.json'), 'utf8').catch(() => null)
    const found = text === null ? null : /"version"\s*:\s*"([^"]+)"/.exec(text)
    if (found !== null) return found[1] as string
  }
  return ''
}

const hashOf = async (path: string): Promise<string | null> =>
  readFile(path).then(
    (bytes) => createHash('sha256').update(bytes).digest('hex'),
    () => null,
  )
