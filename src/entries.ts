import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * In the source tree an entry is a `.ts` file, from which Node strips the types; when installed it is a bundle beside
 * this one.
 */
const fromSource = import.meta.url.endsWith('.ts')

/** Programs that run as a separate process or thread; `scripts/build.ts` builds a bundle of each. */
export const entrySources = {
  agency: './cli/main.ts',
  daemon: './daemon/main.ts',
  mcp: './mcp/main.ts',
  'scripted-agent': './adapters/runtime/scripted/main.ts',
  'claude-permit': './adapters/runtime/claude-code/permit.ts',
  'http-probe': './workspaces/probe/main.ts',
  'box-forward': './workspaces/box/forward/main.ts',
  'box-proxy': './workspaces/box/proxy/main.ts',
  'schema-check': './json-schema/main.ts',
  'document-reader': './reading/main.ts',
  'secret-scan': './secrets/main.ts',
} as const
export type EntryName = keyof typeof entrySources

export const entryPath = (name: EntryName): string =>
  fileURLToPath(new URL(fromSource ? entrySources[name] : `./${name}.mjs`, import.meta.url))

/** Returns the first process of a box; the build copies it to the same relative path beside the bundle. */
export const initPath = (): string => fileURLToPath(new URL('./workspaces/box/init/init.pl', import.meta.url))

/** Returns every path that our entries read when they run: a box makes them readable to agents, which use them too. */
export const ownFiles = (): string[] =>
  (fromSource ? ['.', '../package.json', '../node_modules'] : ['.', '../package.json'])
    .map((path) => fileURLToPath(new URL(path, import.meta.url)).replace(/\/$/, ''))
    .filter((path) => existsSync(path))

/** Returns the folder of the built dashboard, or null if it has not been built. */
export function webRoot(): string | null {
  const path = fileURLToPath(new URL(fromSource ? '../dist/web' : './web', import.meta.url))
  return existsSync(path) ? path : null
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

/**
 * The version with the build of an installation, `0.1.0+1f3c9a2b`: two builds of one version may differ in the answers of
 * the daemon. It is read once, because an upgrade replaces the file below a daemon that goes on. The source tree has no
 * build.
 */
export const versionWithBuild: string = fromSource ? version : `${version}+${readBuild()}`

function readBuild(): string {
  return readFileSync(new URL('./build.txt', import.meta.url), 'utf8').trim()
}

/** Returns the path of a playbook's prompt; the build copies prompts to the same relative path beside the bundle. */
export const promptPath = (playbook: string, name: string): string =>
  fileURLToPath(new URL(`./playbooks/${playbook}/prompts/${name}.md`, import.meta.url))

/** Returns the folder in which every playbook has its prompts. */
export const playbooksRoot = (): string => fileURLToPath(new URL('./playbooks', import.meta.url))

/** Returns the folder of the bundled talent: personalities by division, and the casting table. */
export const talentRoot = (): string => fileURLToPath(new URL(fromSource ? '../talent' : './talent', import.meta.url))

/** Returns the path of a document or text of the demonstration's organisation. */
export const referencePath = (name: string): string =>
  fileURLToPath(new URL(`./org/reference/${name}`, import.meta.url))

/**
 * Returns the path of a template for new content of an organisation; the build copies it to the same relative path
 * beside the bundle.
 */
export const templatePath = (name: string): string =>
  fileURLToPath(new URL(`./org/templates/${name}.md`, import.meta.url))
