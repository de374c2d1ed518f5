import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { withoutComments } from './support/comments.ts'

const root = resolve(import.meta.dirname, '..')

/** A tier, a part, a phase or a document that one playbook has, or the playbook itself. */
const playbookName =
  /\bt[1-5](?:\b|_)|\bT[1-5]\b|['`]ws:|joint_verdict|['`]tiered\b|['`]direct['`]|playbooks\/(?:tiered|direct)|phase\b[^\n]*'resolve'/

const linesOf = (text: string): number =>
  withoutComments(text)
    .split('\n')
    .filter((line) => playbookName.test(line)).length

describe('the engine and the work', () => {
  it('know no playbook by name', () => {
    const paths = globSync('src/{engine,work}/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
    expect(paths.length).toBeGreaterThan(100)
    expect(paths.filter((path) => linesOf(readFileSync(join(root, path), 'utf8')) > 0)).toEqual([])
  })

  it('would be caught', () => {
    expect(linesOf(`const isTask = tier === 't4'\n// 't4' in a comment\nconst key = \`ws:\${id}\``)).toBe(2)
    expect(linesOf(`import { tiered } from '../../playbooks/tiered/decide.ts'`)).toBe(1)
    expect(linesOf(`isFree = brief.phase === 'resolve'`)).toBe(1)
  })
})
