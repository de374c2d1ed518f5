import { createHash } from 'node:crypto'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { rolldown } from 'rolldown'
import { build as buildWithVite } from 'vite'

import { entrySources } from '../src/entries.ts'
import { type ParsedFiles, parsedName, parseFiles } from '../src/talent/parsed.ts'
import { builtInsByName, withoutHttp2 } from './built-ins.ts'
import { bundleCommandLine } from './bundle-cli.ts'
import { licencesOf } from './licences.ts'

/** Entries of an installation. Node refuses `.ts` under node_modules, so all code is bundled with its dependencies. */
const { agency: _bundledApart, ...others } = entrySources
const entries = Object.fromEntries(
  Object.entries({ ...others, offline: './cli/offline.ts' }).map(([name, path]) => [name, join('src', path)]),
)

/** Builds the whole product into `folder` from the working directory's sources; `more` adds entries. */
export async function bundleInto(folder: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const environment = process.env['NODE_ENV']
  // vitest sets NODE_ENV to `test`; a build started by a test must not contain React's development build.
  process.env['NODE_ENV'] = 'production'
  chmodSync(folder, 0o755)
  const modules = await Promise.all([
    bundle(folder, { ...entries, ...more }),
    bundleCommandLine(folder),
    buildWeb(join(folder, 'web')),
  ])
  writeFileSync(join(folder, 'licences.txt'), licencesOf(modules.flat()))
  copyData(folder)
  writeFileSync(join(folder, 'build.txt'), `${hashOf(folder)}\n`)
  if (environment !== undefined) process.env['NODE_ENV'] = environment
}

/** Writes the bundles of the daemon and its helpers; resolves with the ids of the bundled modules. */
async function bundle(folder: string, input: Record<string, string>): Promise<string[]> {
  const build = await rolldown({
    input,
    platform: 'node',
    // Optional parts of pg that are not installed; pg loads them at run time only when they are configured.
    external: ['pg-native', /^cloudflare:/],
    plugins: [withoutHttp2, builtInsByName],
    treeshake: true,
    logLevel: 'warn',
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    // Chunks lie beside the entries, not in a folder of their own, so that `import.meta.url` resolves both migrations
    // and
    // entries from either.
    chunkFileNames: 'chunk-[name]-[hash].mjs',
    comments: { legal: true, annotation: false, jsdoc: false },
  })
  await build.close()
  return output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
}

async function buildWeb(folder: string): Promise<string[]> {
  const built = await buildWithVite({
    configFile: 'web/vite.config.ts',
    logLevel: 'warn',
    build: { outDir: resolve(folder), emptyOutDir: true },
  })
  if (!('output' in built)) throw new Error('vite was expected to build once')
  return built.output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
}

function parseTalent(root: string): ParsedFiles {
  const textsOf = (pattern: string): string[] =>
    globSync(pattern, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  return parseFiles(textsOf('agents/**/*.md'), textsOf('role_registry.yaml'))
}

/** Returns the name of a build: the same sources make the same one. */
function hashOf(folder: string): string {
  const hash = createHash('sha256')
  for (const path of globSync(['*.mjs', 'migrations/*', 'workspaces/**/*.pl'], { cwd: folder }).sort())
    hash.update(`${path}\n`).update(readFileSync(join(folder, path)))
  return hash.digest('hex').slice(0, 8)
}

/** Copies the files that are read at run time to the same path relative to the code as in the source. */
function copyData(folder: string): void {
  cpSync('src/db/migrations', join(folder, 'migrations'), { recursive: true })
  cpSync('talent', join(folder, 'talent'), { recursive: true })
  writeFileSync(join(folder, 'talent', parsedName), JSON.stringify(parseTalent('talent')))
  for (const path of globSync([
    'src/playbooks/*/prompts/*.md',
    'src/workspaces/box/init/init.pl',
    'src/org/templates/*.md',
    'src/org/reference/*.{md,yaml}',
  ])) {
    const target = join(folder, path.slice('src/'.length))
    mkdirSync(dirname(target), { recursive: true })
    cpSync(path, target)
  }
}
