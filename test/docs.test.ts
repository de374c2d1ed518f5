import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const pages = ['README.md', 'AGENTS.md', ...globSync('docs/**/*.md', { cwd: root })]
const read = (page: string): string => readFileSync(join(root, page), 'utf8')

describe.each(pages)('%s', (page) => {
  it('links only to existing files', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map((match) => match[1] as string)
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
  })

  it('names only existing files and folders', () => {
    const named = [...read(page).matchAll(/`((?:src|test|scripts|web|\.ci)(?:\/[\w.-]+)*)`/g)].map(
      (match) => match[1] as string,
    )
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('names only existing npm scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = [...read(page).matchAll(/npm run (?!--)([\w:]+)/g)].map((match) => match[1] as string)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})
