import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'

import { rolldown } from 'rolldown'
import { build as buildWithVite } from 'vite'

import { entrySources } from '../src/entries.ts'
import { bundleCommandLine } from './bundle-cli.ts'
import { licencesOf } from './licences.ts'

/** What an installation runs: Node refuses `.ts` under node_modules, so everything is bundled, dependencies too. */
const { agency: _bundledApart, ...others } = entrySources
const entries = Object.fromEntries(
  Object.entries({ ...others, offline: './cli/offline.ts' }).map(([name, path]) => [name, join('src', path)]),
)

const root = resolve(import.meta.dirname, '..')

await main()

async function main(): Promise<void> {
  const started = performance.now()
  process.chdir(root)
  // Whoever builds from within a test must not get React's development build.
  process.env['NODE_ENV'] = 'production'
  mkdirSync('node_modules/.cache', { recursive: true })
  const folder = mkdtempSync('node_modules/.cache/agency-build-')
  try {
    chmodSync(folder, 0o755)
    const modules = await Promise.all([bundle(folder), bundleCommandLine(folder), buildWeb(join(folder, 'web'))])
    writeFileSync(join(folder, 'licences.txt'), licencesOf(modules.flat()))
    copyData(folder)
    replace(folder, 'dist')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const size = statSync('dist/cli.mjs').size
  console.log(
    `built dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s; cli.mjs is ${(size / 1024).toFixed(0)} KB`,
  )
}

/** Resolves with the modules that it contains. */
async function bundle(folder: string): Promise<string[]> {
  const build = await rolldown({
    input: entries,
    platform: 'node',
    // Optional parts of pg that are not installed; asked for at run time only where somebody wants them.
    external: [/^node:/, 'pg-native', /^cloudflare:/],
    treeshake: true,
    logLevel: 'warn',
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    // Beside the entries, not in a folder of their own: `import.meta.url` then finds migrations and entries alike.
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

/** Files that are read at run time, at the same place relative to the code as in the source. */
function copyData(folder: string): void {
  cpSync('src/db/migrations', join(folder, 'migrations'), { recursive: true })
  for (const path of globSync([
    'src/playbooks/*/prompts/*.md',
    'src/org/templates/*.md',
    'src/org/reference/*.{md,yaml}',
  ])) {
    const target = join(folder, path.slice('src/'.length))
    mkdirSync(dirname(target), { recursive: true })
    cpSync(path, target)
  }
}

/** By renaming, so that nobody ever starts half a build. */
function replace(folder: string, target: string): void {
  const old = join('node_modules/.cache', `${basename(folder)}-old`)
  if (existsSync(target)) renameSync(target, old)
  renameSync(folder, target)
  rmSync(old, { recursive: true, force: true })
}
