import type { Import, SourceFile } from './imports.ts'

/**
 * Checks the import rules: a file's path gives its role, and the role gives the allowed imports. `.oxlintrc.json` has the
 * part of these rules that a linter can check, for the editor; this table is complete.
 */
export function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...forbiddenImports(file), ...impurities(file), ...defaultExports(file)])
}

export type Role =
  | 'anything'
  | 'kernel'
  | 'redaction'
  | 'contract'
  | 'endpoints'
  | 'port'
  | 'db'
  | 'store'
  | 'playbook'
  | 'service'
  | 'edge'
  | 'client'
  | 'cli'
  | 'adapter'
  | 'places'
  | 'offline'
  | 'part'
  | 'web'

/** The first match decides: a contract is a contract in every folder. */
const roles: readonly (readonly [Role, RegExp])[] = [
  ['anything', /\.test\.tsx?$|(^|\/)contract-suite\.ts$|^(test|bench|scripts)\/|\.config\.ts$/],
  ['web', /^web\//],
  ['kernel', /^src\/kernel\//],
  // The addresses of operations, for everything that calls them.
  ['endpoints', /(^|\/)endpoints\.ts$|^src\/operations\/(endpoint|request|problem)\.ts$/],
  // Pure like the kernel, so that stores and db/ too can remove secrets before they write.
  ['redaction', /^src\/secrets\/(redact|passwords|tokens|encodings|long-runs|private-keys)\.ts$/],
  ['contract', /(^|\/)(contract|states)\.ts$|\.contract\.ts$|^src\/operations\/wire\.ts$/],
  // Paths of our own files, on disk and in the bundle.
  ['places', /^src\/(entries|daemon\/home)\.ts$/],
  // Commands that work without a daemon; only the CLI loads them, and only when they are called.
  ['offline', /^src\/(cli\/offline(\.ts$|\/)|doctor\/)/],
  ['edge', /(^|\/)routes\.ts$|^src\/(server|mcp)\//],
  ['client', /^src\/client\//],
  ['cli', /(^|\/)cli(\.ts$|\/)/],
  ['service', /(^|\/)service\.ts$/],
  // The composition roots.
  ['anything', /(^|\/)compose\.ts$|^src\/daemon\//],
  ['db', /^src\/db\//],
  ['store', /(^|\/)(.*-)?(store|seed)\.ts$|^src\/(events|jobs)\/|^src\/tables\.ts$/],
  ['playbook', /^src\/playbooks\//],
  ['service', /^src\/engine\//],
  ['port', /(^|\/)port\.ts$/],
  ['adapter', /^src\/adapters\/[^/]+\/[^/]+\//],
  ['part', /^src\//],
]

interface Allowance {
  roles: readonly Role[]
  /** Roles of which only types may be imported. */
  types?: readonly Role[]
  /** Roles that may only be imported dynamically. */
  later?: readonly Role[]
  packages: RegExp
}

const nothing = /^$/
const node = /^node:/

const table: Record<Exclude<Role, 'anything' | 'offline'>, Allowance> = {
  kernel: { roles: ['kernel'], packages: nothing },
  endpoints: { roles: ['kernel', 'endpoints'], packages: nothing },
  contract: { roles: ['kernel', 'endpoints', 'contract'], packages: /^zod$/ },
  redaction: { roles: ['kernel', 'redaction'], packages: nothing },
  port: { roles: ['kernel', 'contract', 'port'], packages: nothing },
  db: { roles: ['kernel', 'redaction', 'contract', 'db'], packages: /^node:|^pg$/ },
  store: { roles: ['kernel', 'redaction', 'contract', 'db', 'store'], types: ['port'], packages: /^node:|^croner$/ },
  playbook: { roles: ['kernel', 'contract', 'playbook'], packages: nothing },
  service: {
    roles: ['kernel', 'redaction', 'contract', 'port', 'store', 'service', 'playbook', 'part'],
    types: ['db'],
    packages: node,
  },
  edge: {
    roles: ['kernel', 'redaction', 'endpoints', 'client', 'contract', 'edge', 'places', 'part'],
    types: ['service', 'port', 'db'],
    packages: /^node:|^hono$|^@hono\/|^zod$|^@modelcontextprotocol\//,
  },
  client: { roles: ['kernel', 'endpoints', 'client'], types: ['contract'], packages: node },
  cli: {
    roles: ['kernel', 'endpoints', 'client', 'cli', 'places'],
    types: ['contract', 'offline'],
    later: ['offline'],
    packages: /^node:|^commander$/,
  },
  adapter: {
    roles: ['kernel', 'redaction', 'endpoints', 'client', 'contract', 'port', 'adapter', 'places', 'part'],
    packages: /^(?!hono$|@hono\/|commander$|pg$)/,
  },
  places: { roles: ['kernel'], packages: node },
  part: {
    roles: ['kernel', 'redaction', 'endpoints', 'contract', 'port', 'store', 'part', 'places'],
    types: ['db'],
    packages: /^node:|^yaml$|^zod$|^ajv|^@secretlint\//,
  },
  web: { roles: ['web', 'kernel', 'endpoints', 'contract'], packages: /^(?!node:|hono$|@hono\/|commander$|pg$)/ },
}

export function roleOf(path: string): Role {
  const role = roles.find(([, pattern]) => pattern.test(path))?.[0]
  if (!role) throw new Error(`${path} has no role: add one with its allowed imports to test/support/import-table.ts`)
  return role
}

function forbiddenImports(file: SourceFile): string[] {
  const role = roleOf(file.path)
  if (role === 'anything' || role === 'offline') return []
  return file.imports
    .filter((each) => !isAllowed(file.path, table[role], each))
    .map(
      (each) => `${file.path}:${each.line} (${role}) may not import ${each.target}${each.typeOnly ? '' : ' (a value)'}`,
    )
}

function isAllowed(path: string, allowance: Allowance, imported: Import): boolean {
  if (!imported.isFile) return allowance.packages.test(imported.target)
  // Data files beside the code, such as styles.
  if (!/\.tsx?$/.test(imported.target)) return path.startsWith('web/') && imported.target.startsWith('web/')
  const role = roleOf(imported.target)
  if (role === 'adapter') return allowance.roles.includes(role) && adapterOf(path) === adapterOf(imported.target)
  if (imported.typeOnly && allowance.types?.includes(role)) return true
  if (imported.later && allowance.later?.includes(role)) return true
  return allowance.roles.includes(role)
}

const adapterOf = (path: string): string => path.split('/').slice(0, 4).join('/')

/** Finds uses of time and randomness, which code receives as parameters so that tests and replays control them. */
function impurities(file: SourceFile): string[] {
  if (!file.path.startsWith('src/') || isExemptFromPurity(file.path)) return []
  return file.impurities.map(({ name, line }) => `${file.path}:${line} may not use ${name}: take a Clock or Ids`)
}

const isExemptFromPurity = (path: string): boolean => /^src\/(kernel|adapters)\/|\.test\.ts$/.test(path)

const defaultExports = (file: SourceFile): string[] =>
  file.hasDefaultExport && !file.path.endsWith('.config.ts') ? [`${file.path} has a default export`] : []

/** Returns each cycle once, as its files. Imports of types count too: they make code as hard to move as values do. */
export function cycles(files: readonly SourceFile[]): string[][] {
  const graph = new Map(
    files.map((file) => [file.path, file.imports.filter((each) => each.isFile).map((each) => each.target)]),
  )
  const done = new Set<string>()
  const found: string[][] = []
  const walk = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) return void found.push([...trail.slice(start), path])
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) walk(path, [])
  return found
}

/** Files at the edge of a folder that may point anywhere: contracts, commands, and the roots that build the product. */
const isOutsideRooms = (path: string): boolean =>
  /^src\/(compose|tables|entries)\.ts$|^src\/operations\/all\.contract\.ts$|^src\/(daemon|doctor|cli)\/|(^|[./])(contract|endpoints)\.ts$|\/cli(\.ts$|\/)|\.test\.tsx?$|(^|\/)contract-suite\.ts$/.test(
    path,
  )

/** A room is a folder whose imports point one way: `src/work`, `web/run`, and each phase of the engine. */
const roomOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('src/engine/') ? 3 : 2)
    .join('/')

/** Returns each ring of folders once, as the folders on it, with one import that closes it. Types do not count here. */
export function rings(files: readonly SourceFile[]): string[] {
  const rooms = new Map<string, Map<string, string>>()
  for (const { path, imports } of files) {
    if (!/^(src|web)\//.test(path) || isOutsideRooms(path)) continue
    const targets = rooms.get(roomOf(path)) ?? new Map<string, string>()
    rooms.set(roomOf(path), targets)
    for (const { target, isFile, typeOnly } of imports)
      if (isFile && !typeOnly && /\.tsx?$/.test(target) && !isOutsideRooms(target) && roomOf(target) !== roomOf(path))
        targets.set(roomOf(target), `${path} imports ${target}`)
  }
  const asFiles = [...rooms].map(([path, targets]) => ({
    path,
    imports: [...targets.keys()].map((target) => ({ target, isFile: true, typeOnly: false, later: false, line: 1 })),
    impurities: [],
    hasDefaultExport: false,
  }))
  return cycles(asFiles).map((ring) => `${ring.join(' → ')}: ${rooms.get(ring.at(-2)!)!.get(ring.at(-1)!)}`)
}
