import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { withoutComments } from './support/comments.ts'

const root = resolve(import.meta.dirname, '..')

/** A tier, a part, a phase or a document that one playbook has, or the playbook itself. */
const playbookName =
  /\bt[1-5](?:\b|_)|\bT[1-5]\b|['`]ws:|joint_verdict|['`]tiered\b|['`]direct['`]|playbooks\/(?:tiered|direct)|phase\b[^\n]*'resolve'/

/**
 * Files of the engine and the work that still know one playbook by name, with the number of such lines. The list may
 * only shrink: a playbook describes itself, and the engine serves every playbook.
 */
const known: Readonly<Record<string, number>> = {
  'src/engine/loop/claim.ts': 1,
  'src/work/briefs/contract.ts': 1,
  'src/work/briefs/store.ts': 1,
}

const linesOf = (text: string): number =>
  withoutComments(text)
    .split('\n')
    .filter((line) => playbookName.test(line)).length

const found = Object.fromEntries(
  globSync('src/{engine,work}/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => [path, linesOf(readFileSync(join(root, path), 'utf8'))] as const)
    .filter(([, count]) => count > 0),
)

describe('the engine and the work', () => {
  it('know a playbook by name only in the listed files, and in no more lines', () => {
    const grown = Object.entries(found).filter(([path, count]) => count > (known[path] ?? 0))
    expect(grown).toEqual([])
  })

  it('have lost the name wherever the list says so', () => {
    expect(Object.keys(known).filter((path) => found[path] === undefined)).toEqual([])
  })

  it('would be caught', () => {
    expect(linesOf(`const isTask = tier === 't4'\n// 't4' in a comment\nconst key = \`ws:\${id}\``)).toBe(2)
  })
})
