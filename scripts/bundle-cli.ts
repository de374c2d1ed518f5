import { chmodSync, existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

import { type Plugin, rolldown } from 'rolldown'

import { builtInsByName } from './built-ins.ts'

/**
 * The command line starts all day, so it has bundles of its own: a first file that checks the Node version and turns the
 * code cache on, and one file with every command. Rarely used modules stay in the daemon's bundles.
 */
const files: Readonly<Record<string, string>> = {
  agency: 'src/cli/main.ts',
  cli: 'src/cli/run.ts',
  offline: 'src/cli/offline.ts',
}

/** Writes the bundles of the command line; resolves with the ids of the bundled modules. */
export async function bundleCommandLine(folder: string): Promise<string[]> {
  const modules: string[] = []
  for (const name of ['agency', 'cli']) {
    const path = files[name] as string
    if (!existsSync(path)) continue
    const build = await rolldown({
      input: { [name]: path },
      platform: 'node',
      plugins: [otherFiles(path), builtInsByName],
      logLevel: 'warn',
    })
    const { output } = await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      codeSplitting: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    })
    await build.close()
    modules.push(...output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : [])))
  }
  if (existsSync(join(folder, 'agency.mjs'))) chmodSync(join(folder, 'agency.mjs'), 0o755)
  return modules.filter((id) => !id.startsWith('\0'))
}

const otherFiles = (self: string): Plugin => ({
  name: 'other-files',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.')) return null
    const path = relative(process.cwd(), resolve(dirname(importer), id))
    const found = Object.entries(files).find(([, source]) => source === path && source !== self)
    return found === undefined ? null : { id: `./${found[0]}.mjs`, external: true }
  },
})
