import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** In the source tree an entry is a `.ts` file that Node strips; when installed it is a bundle beside this one. */
const fromSource = import.meta.url.endsWith('.ts')

/** What runs as a process or a thread of its own; `scripts/build.ts` makes a bundle of each. */
export const entrySources = {
  agency: './cli/main.ts',
  daemon: './daemon/main.ts',
  mcp: './mcp/main.ts',
  'scripted-agent': './adapters/runtime/scripted/main.ts',
  'claude-permit': './adapters/runtime/claude-code/permit.ts',
  'http-probe': './workspaces/probe/main.ts',
  'box-init': './workspaces/box/init/main.ts',
  'schema-check': './json-schema/main.ts',
  'plan-reader': './work/plans/main.ts',
  'secret-scan': './secrets/main.ts',
} as const
export type EntryName = keyof typeof entrySources

export const entryPath = (name: EntryName): string =>
  fileURLToPath(new URL(fromSource ? entrySources[name] : `./${name}.mjs`, import.meta.url))

/** Everything that our entries read when they run: a box shows it to agents, so that they can use them too. */
export const ownFiles = (): string[] =>
  (fromSource ? ['.', '../package.json', '../node_modules'] : ['.', '../package.json'])
    .map((path) => fileURLToPath(new URL(path, import.meta.url)).replace(/\/$/, ''))
    .filter((path) => existsSync(path))

/** The built dashboard, or null where it has not been built. */
export function webRoot(): string | null {
  const path = fileURLToPath(new URL(fromSource ? '../dist/web' : './web', import.meta.url))
  return existsSync(path) ? path : null
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

/** A playbook's prompt: data that the build puts at the same place beside the bundle. */
export const promptPath = (playbook: string, name: string): string =>
  fileURLToPath(new URL(`./playbooks/${playbook}/prompts/${name}.md`, import.meta.url))

/** Where every playbook has its folder of prompts. */
export const playbooksRoot = (): string => fileURLToPath(new URL('./playbooks', import.meta.url))

/** The talent that ships: personalities by division, and who is cast for what. */
export const talentRoot = (): string => fileURLToPath(new URL(fromSource ? '../talent' : './talent', import.meta.url))

/** The document and the texts of the organisation that the demonstration shows. */
export const referencePath = (name: string): string =>
  fileURLToPath(new URL(`./org/reference/${name}`, import.meta.url))

/** A text that new content of an organisation begins with; the build puts it at the same place beside the bundle. */
export const templatePath = (name: string): string =>
  fileURLToPath(new URL(`./org/templates/${name}.md`, import.meta.url))
