import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../../../test/support/store.ts'
import { createContext } from '../../../cli/context.ts'
import { type TreeLine, treeLines } from './tree.ts'
import { draw, keyOf, type Cursor, readArtifact, step } from './walk.ts'

const tree: TreeLine[] = Array.from({ length: 5 }, (_, index) => ({
  depth: index === 0 ? 0 : 1,
  text: `line ${index}`,
  open: () => [`about ${index}`, 'more', 'most'],
}))
const begin: Cursor = { at: 0, opened: null, top: 0 }
const walk = (...inputs: string[]): Cursor | null =>
  inputs.reduce<Cursor | null>(
    (cursor, input) => (cursor === null ? null : step(cursor, keyOf(input), tree, (line) => line.open())),
    begin,
  )
const screen = { ...createContext({ AGENCY_HOME: '/nonexistent' }), columns: 20, colour: false }

const [up, down, right, left, enter] = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D', '\r']

describe('browsing a run', () => {
  it('moves up and down with the arrow keys, not beyond the ends', () => {
    expect(walk(down, down, up)).toMatchObject({ at: 1 })
    expect(walk(up)).toMatchObject({ at: 0 })
    expect(walk(...Array.from({ length: 9 }, () => down))).toMatchObject({ at: 4 })
  })

  it('opens a line, scrolls in it, and returns to the same line', () => {
    expect(walk(down, enter)).toEqual({ at: 1, opened: ['about 1', 'more', 'most'], top: 0 })
    expect(walk(down, right, down, down, down)).toMatchObject({ at: 1, top: 2 })
    expect(walk(down, enter, down, left)).toEqual({ at: 1, opened: null, top: 0 })
  })

  it('quits with q, from an opened line to the tree first', () => {
    expect(walk('q')).toBe(null)
    expect(walk(enter, 'q')).toEqual(begin)
    expect(walk(enter, 'q', 'q')).toBe(null)
  })

  it('ignores all other keys', () => {
    for (const input of ['x', '\x1b[Z', 'toString', '']) expect(walk(down, input)).toEqual(walk(down))
  })

  it('draws the lines that fit, with the cursor marked and visible', () => {
    expect(draw(screen, begin, tree, 4)).toEqual(['› line 0', '    line 1', '    line 2', '↑ ↓ move   enter op…'])
    expect(draw(screen, { ...begin, at: 4 }, tree, 4).slice(0, 3)).toEqual(['    line 2', '    line 3', '›   line 4'])
    expect(draw(screen, { at: 0, opened: ['a', 'b', 'c'], top: 1 }, tree, 4).slice(0, 2)).toEqual(['b', 'c'])
  })
})

describe('an opened file', () => {
  it('is in the workspace of the brief that its own brief continues, and its attempt shows where it was checked', () => {
    const brief = { id: 'brf_2', key: 'rest', title: 'Rest', status: 'done', held_by: null, remainder_of: 'brf_1' }
    const lines = treeLines(screen, {
      run: { id: 'run_1', status: 'done', goal_anchor: 'Do' },
      state: 'done',
      briefs: [brief],
      attempts: [
        {
          brief_id: 'brf_2',
          fence: 1,
          outcome: 'ok',
          runtime: 'program',
          boxed: false,
          checked_in: 'workspace',
          detail: null,
          contradiction: null,
          odd: [],
          report: null,
          started_at: null,
          ended_at: null,
        },
      ],
      artifacts: [{ brief_id: 'brf_2', name: 'a.txt', path: 'a.txt', version: 1, bytes: 1, content: null }],
      gates: [],
      questions: [],
      verdicts: [],
      notes: [],
      evidence: [],
    } as never)
    expect(lines.map(({ text }) => text).join('\n')).toContain(
      'attempt 1  ok  program  not boxed  checked in the agent’s workspace',
    )
    expect(lines.find(({ text }) => text.includes('attempt 1'))?.open()).toContain(
      'Checked in the agent’s workspace, not in a fresh checkout: untracked files may have helped',
    )
    expect(lines.at(-1)?.artifact).toEqual({ briefId: 'brf_1', path: 'a.txt' })
  })

  it('is read from its beginning and only inside its workspace; otherwise the reason is shown', () => {
    const workspace = freshFolder()
    writeFileSync(join(workspace, 'large.txt'), `first\n${'x'.repeat(2_000_000)}`)
    const [first, second = ''] = readArtifact(workspace, 'large.txt')
    expect([first, second.length]).toEqual(['first', 1_000_000 - 'first\n'.length])
    symlinkSync('/etc/passwd', join(workspace, 'link'))
    expect(readArtifact(workspace, 'link')).toEqual(['(not a file of its workspace)'])
    expect(readArtifact(workspace, 'gone.txt')).toEqual(['(the file no longer exists)'])
    expect(readArtifact(workspace, 'large.txt/below')).toEqual([
      expect.stringMatching(/^\(the file cannot be read: ENOTDIR/),
    ])
  })
})
