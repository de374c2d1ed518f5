import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'

import { isSyntax, type Syntax, visitSource } from './syntax.ts'

export interface Import {
  /** A path from the repository's root, or the name of a package (`node:fs`, `hono`). */
  target: string
  isFile: boolean
  typeOnly: boolean
  /** Imported dynamically by `import()`. */
  later: boolean
  line: number
}

export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  path: string
  imports: Import[]
  /** Uses of time or randomness: `Date.now`, `setTimeout`, `new Date()`… */
  impurities: { name: string; line: number }[]
  hasDefaultExport: boolean
}

/** Reads every TypeScript file under the given folders of the repository. */
export function readSources(root: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    filesUnder(join(root, folder))
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => scanOnce(root, path)),
  )
}

/**
 * Parsed files by path and time of change: several tests of a worker read the whole repository, which takes seconds.
 */
const scanned = new Map<string, SourceFile>()

function scanOnce(root: string, path: string): SourceFile {
  const key = `${path} ${statSync(path).mtimeMs}`
  const known = scanned.get(key) ?? scan(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8'))
  scanned.set(key, known)
  return known
}

export function scan(path: string, text: string): SourceFile {
  const file: SourceFile = { path, imports: [], impurities: [], hasDefaultExport: false }
  visitSource(path, text, (node, line) => {
    const imported = importOf(node)
    if (imported) {
      const later = node.type === 'ImportExpression'
      file.imports.push({ ...place(path, imported.from), typeOnly: imported.typeOnly, later, line: line() })
    }
    const impurity = impurityOf(node)
    if (impurity) file.impurities.push({ name: impurity, line: line() })
    if (node.type === 'ExportDefaultDeclaration') file.hasDefaultExport = true
  })
  return file
}

function importOf(node: Syntax): { from: string; typeOnly: boolean } | null {
  const source = node['source']
  if (!isSyntax(source) || typeof source['value'] !== 'string') return null
  const from = source['value']
  switch (node.type) {
    case 'ImportDeclaration':
      return { from, typeOnly: node['importKind'] === 'type' }
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return { from, typeOnly: node['exportKind'] === 'type' }
    case 'TSImportType':
      return { from, typeOnly: true }
    case 'ImportExpression':
      return { from, typeOnly: false }
    default:
      return null
  }
}

function place(importer: string, from: string): { target: string; isFile: boolean } {
  if (from.startsWith('.')) return { target: posix.join(dirname(importer), from), isFile: true }
  const parts = from.split('/')
  const name = from.startsWith('@') ? parts.slice(0, 2).join('/') : from.startsWith('node:') ? from : parts[0]!
  return { target: name, isFile: false }
}

const impureProperties = new Set(['Date.now', 'Math.random', 'crypto.randomUUID'])
const impureNames = new Set(['setTimeout', 'setInterval', 'randomUUID'])

function impurityOf(node: Syntax): string | null {
  const argumentsOf = (node['arguments'] as unknown[] | undefined) ?? []
  const callee = node['callee']
  if (!isSyntax(callee)) return importedImpurity(node)
  const name = dotted(callee)?.replace(/^globalThis\./, '') ?? ''
  if (node.type === 'NewExpression' && name === 'Date' && argumentsOf.length === 0) return 'new Date()'
  if (node.type !== 'CallExpression') return null
  return impureProperties.has(name) || impureNames.has(name) ? name : null
}

/** Finds `import { randomUUID } from 'node:crypto'` under any local name, and imports of promise-based timers. */
function importedImpurity(node: Syntax): string | null {
  const from = importOf(node)
  if (!from || from.typeOnly) return null
  if (from.from.startsWith('node:timers')) return from.from
  const names = ((node['specifiers'] as Syntax[] | undefined) ?? []).map((each) =>
    isSyntax(each['imported']) ? String(each['imported']['name']) : '',
  )
  return from.from === 'node:crypto' && names.includes('randomUUID') ? 'randomUUID' : null
}

function dotted(node: Syntax): string | null {
  if (node.type === 'Identifier') return String(node['name'])
  if (node.type !== 'MemberExpression' || !isSyntax(node['object']) || !isSyntax(node['property'])) return null
  const object = dotted(node['object'])
  return object && `${object}.${String(node['property']['name'] ?? node['property']['value'])}`
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
