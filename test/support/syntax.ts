import { parseAst } from 'rolldown/parseAst'

/** A node of the syntax tree, with the fields that the tests read. */
export interface Syntax {
  type: string
  start: number
  [field: string]: unknown
}

/** Parses a TypeScript source and calls `look` with every node and its line. */
export function visitSource(path: string, text: string, look: (node: Syntax, line: () => number) => void): void {
  const program = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' })
  visit(program as unknown as Syntax, (node) => look(node, () => text.slice(0, node.start).split('\n').length))
}

function visit(node: Syntax, look: (node: Syntax) => void): void {
  look(node)
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isSyntax(child)) visit(child, look)
}

export const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string'
