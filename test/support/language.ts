import { parseAst } from 'rolldown/parseAst'

/** Words of sentences without a subject, which plain technical English replaces by the subject itself. */
const dialect =
  /\b(whoever|whom|who|whose|somebody|nobody|everybody|whatever|what|said|told|tell|anew|all the same|for ever|goes on|go on)\b/gi
const forbiddenBeginning = /^(what|who|whoever|somebody|nobody)\b/i

export interface Text {
  /** From the repository's root, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface CommentLanguage {
  words: number
  dialect: number
}

/** Counts the words of comments and the dialect's words among them, by folder. */
export function commentLanguage(files: readonly Text[]): Map<string, CommentLanguage> {
  const folders = new Map<string, CommentLanguage>()
  for (const { path, text } of files) {
    const count = folders.get(folderOf(path)) ?? { words: 0, dialect: 0 }
    folders.set(folderOf(path), count)
    for (const comment of commentsIn(text)) {
      count.words += comment.match(/[A-Za-z']+/g)?.length ?? 0
      count.dialect += comment.match(dialect)?.length ?? 0
    }
  }
  return folders
}

/** Returns the dialect's words per 1,000; a folder with few words may have one. */
export const rateOf = ({ words, dialect: count }: CommentLanguage): number => (count <= 1 ? 0 : (1_000 * count) / words)

export interface TestName {
  readonly folder: string
  readonly name: string
}

/** Reads the names of tests and suites. */
export const readTestNames = (files: readonly Text[]): TestName[] =>
  files.flatMap(({ path, text }) => testNamesIn(path, text).map((name) => ({ folder: folderOf(path), name })))

/** Returns the names that begin with a pronoun instead of a subject or a verb, by folder. */
export function namesWithoutSubject(names: readonly TestName[]): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const { folder, name } of names)
    if (forbiddenBeginning.test(name)) folders.set(folder, [...(folders.get(folder) ?? []), name])
  return folders
}

/** Returns the share of names that contain a word of the dialect outside quoted text. */
export const dialectShare = (names: readonly TestName[]): number =>
  names.filter(({ name }) => name.replace(/“[^”]*”/g, '').match(dialect) !== null).length / names.length

/** `src/engine` of `src/engine/loop/engine.ts`, `src` of `src/compose.ts`. */
const folderOf = (path: string): string => path.split('/').slice(0, -1).slice(0, 2).join('/')

const commentsIn = (text: string): string[] => text.match(/\/\*\*?[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*/g) ?? []

const declares = /^(it|test|describe|describeStores|describePostgres)$/

/** The first argument of `it('…')`, `it.each(…)('…')`, `describe.skipIf(…)('…')` and so on. */
function testNamesIn(path: string, text: string): string[] {
  const names: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return
    const { type, callee, arguments: args } = node as Syntax
    const name = type === 'CallExpression' && declares.test(rootOf(callee) ?? '') ? textOf(args?.[0]) : null
    if (name !== null) names.push(name)
    for (const value of Object.values(node)) visit(value)
  }
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path))
  return names
}

/** A node of the syntax tree, with the fields that this file reads. */
interface Syntax {
  type: string
  name?: string
  value?: unknown
  callee?: Syntax
  object?: Syntax
  arguments?: Syntax[]
  quasis?: { value: { cooked: string } }[]
}

const rootOf = (node: Syntax | undefined): string | undefined =>
  node === undefined || node.type === 'Identifier' ? node?.name : rootOf(node.callee ?? node.object)

function textOf(node: Syntax | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  return node?.type === 'TemplateLiteral' ? (node.quasis ?? []).map(({ value }) => value.cooked).join('…') : null
}
