import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { commentCeilings } from './support/language-ceilings.ts'
import { commentLanguage, dialectShare, namesWithoutSubject, rateOf, readTestNames } from './support/language.ts'

const root = resolve(import.meta.dirname, '..')
const files = globSync('{src,web,test,bench,scripts}/**/*.{ts,tsx,mjs}', { cwd: root })
  .filter((path) => !path.includes('node_modules'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const names = readTestNames(files.filter(({ path }) => /\.test\.tsx?$|contract-suite\.ts$/.test(path)))

/** Dialect words per 1,000 comment words; projects with plain comments have 0.1 to 2.3. */
const limit = 5

const comments = commentLanguage(files)

describe('comments', () => {
  it.each([...comments])('of %s name their subject', (folder, language) => {
    expect(rateOf(language)).toBeLessThanOrEqual(commentCeilings[folder] ?? limit)
  })

  it('that meet the limit have no ceiling of their own', () => {
    const listed = Object.keys(commentCeilings)
    expect(listed.filter((folder) => rateOf(comments.get(folder) ?? { words: 0, dialect: 0 }) <= limit)).toEqual([])
  })

  it('without a subject are counted', () => {
    const text = '// Who judges looks at what whoever worked has left.\nconst a = 1 /* nobody is told */\n'
    const planted = commentLanguage([{ path: 'src/planted/deep/file.ts', text }])
    expect(planted.get('src/planted')).toEqual({ words: 12, dialect: 5 })
    expect(rateOf({ words: 12, dialect: 5 })).toBeGreaterThan(limit)
    const plain = '// A verifier shares the workspace of the brief it verifies.\n'
    expect(commentLanguage([{ path: 'src/a.ts', text: plain }]).get('src')).toMatchObject({ dialect: 0 })
  })
})

describe('names of tests', () => {
  it('begin with a subject or a verb', () => {
    expect([...namesWithoutSubject(names)]).toEqual([])
  })

  it('are plain English but for 3 %', () => {
    expect(dialectShare(names)).toBeLessThanOrEqual(0.03)
  })

  it('without a subject are found in every form', () => {
    const text = `it('what is new', f)
      describeStores('Who waits', f)
      it.each([1])('nobody %s', f)
      describe.skipIf(x)(\`somebody \${x}\`, f)
      it('whatever it takes', f)
      it('shows “what is new”', f)
      expect('who')`
    const planted = readTestNames([{ path: 'web/planted/a.test.ts', text }])
    expect([...namesWithoutSubject(planted)]).toEqual([
      ['web/planted', ['what is new', 'Who waits', 'nobody %s', 'somebody …']],
    ])
    expect(dialectShare(planted)).toBeCloseTo(5 / 6)
  })
})
