import { describe, expect, it } from 'vitest'

import type { FileChange } from '../../repositories/port.ts'
import { faultOfScope, oddScope, type Scope } from './scope.ts'

const changed = (...paths: string[]): FileChange[] => paths.map((path) => ({ path, status: 'changed', isLink: false }))
const added = (path: string): FileChange => ({ path, status: 'added', isLink: false })
const scope = (files: string[], more: Partial<Scope> = {}): Scope => ({
  protected: [],
  files,
  brief: { guidance: [], startCommit: 'abc' },
  ...more,
})

describe('protected files', () => {
  const barred = scope([], { protected: ['test', '**/*.snap'] })

  it('are refused by name, also if they are new, deleted or moved', () => {
    expect(faultOfScope(barred, changed('src/a.js'))).toBeNull()
    expect(faultOfScope(barred, [...changed('src/a.js', 'test/a.js'), added('src/b.snap')])).toMatch(
      /^test\/a.js, src\/b.snap may not be changed: the operator protects it\. .*git checkout abc/,
    )
    const moved: FileChange = { path: 'old/a.js', movedFrom: 'test/a.js', status: 'moved', isLink: false }
    expect(faultOfScope(barred, [moved])).toContain('test/a.js may not be changed')
  })
})

describe('agreed files', () => {
  it.each<[string, string[], FileChange[]]>([
    ['nothing was agreed', [], changed('LICENSE')],
    ['they are files', ['src/a.js', './docs/b.md'], changed('src/a.js', 'docs/b.md')],
    [
      'they are directories and globs',
      ['src/', 'docs/**/*.md', 'lib (new)'],
      changed('src/x/a.js', 'docs/b.md', 'lib/c.js'),
    ],
    ['a manifest brings its lockfile', ['web/package.json'], changed('web/package.json', 'web/package-lock.json')],
    ['a test is new', ['src/a.js'], [...changed('src/a.js'), added('test/a.test.js')]],
    ['some are described in words', ['all files of the cart'], changed('LICENSE')],
  ])('allow everything that they cover: %s', (_, files, changes) => {
    expect(faultOfScope(scope(files), changes)).toBeNull()
  })

  it('refuse every other file by name', () => {
    expect(faultOfScope(scope(['src/a.js']), changed('src/a.js', 'LICENSE', 'test/a.test.js'))).toMatch(
      /^LICENSE, test\/a.test.js is beyond the files that are yours to change \(src\/a.js\)\./,
    )
  })

  it('are widened by an answer about a file, and a line says so', () => {
    const guidance = [{ question: 'May I change LICENSE?', answer: 'Yes.', by: 't3/cart' }]
    const asked = scope(['src/a.js'], { brief: { guidance, startCommit: 'abc' } })
    expect(faultOfScope(asked, changed('LICENSE'))).toBeNull()
    expect(faultOfScope(asked, changed('NOTICE'))).toContain('NOTICE is beyond')
    expect(oddScope(asked, changed('LICENSE'))).toEqual([
      {
        kind: 'scope',
        path: 'LICENSE',
        text: 'LICENSE was changed beyond the agreed files, after a question about it',
      },
    ])
  })

  it('are not widened by an answer that forbids it', () => {
    const guidance = [{ question: 'May I change LICENSE?', answer: 'No. Never touch it.', by: 't3/cart' }]
    const asked = scope(['src/a.js'], { brief: { guidance, startCommit: 'abc' } })
    expect(faultOfScope(asked, changed('LICENSE'))).toContain('LICENSE is beyond')
  })
})
