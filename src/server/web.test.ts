import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { expectProblem, startNotes } from '../../test/support/notes.ts'
import { freshFolder } from '../../test/support/store.ts'

describe('the dashboard’s files', () => {
  function build(): string {
    const root = join(freshFolder(), 'web')
    mkdirSync(join(root, 'assets'), { recursive: true })
    writeFileSync(join(root, 'index.html'), '<title>the page</title>')
    writeFileSync(join(root, 'favicon.svg'), '<svg/>')
    writeFileSync(join(root, 'assets', 'index-Ab3_x9Qz.js'), 'run()')
    writeFileSync(join(root, '..', 'outside.txt'), 'not for you')
    return root
  }

  it('are served with their type, hashed ones with unlimited caching', async () => {
    const { send } = await startNotes({ webRoot: build() })
    const script = await send('GET', '/assets/index-Ab3_x9Qz.js', { token: null })
    expect([script.text, script.headers['content-type'], script.headers['cache-control']]).toEqual([
      'run()',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ])
    expect((await send('GET', '/favicon.svg', { token: null })).headers['cache-control']).toBe('no-cache')
  })

  it('include one page for every path that is not a file', async () => {
    const { send } = await startNotes({ webRoot: build() })
    for (const path of ['/', '/runs/run_1', '/index.html']) {
      const answer = await send('GET', path, { token: null })
      expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([
        200,
        '<title>the page</title>',
        'no-cache',
      ])
    }
    expect((await send('HEAD', '/', { token: null })).text).toBe('')
    expectProblem(await send('GET', '/assets/gone-Ab3_x9Qz.js', { token: null }), 404, 'not_found')
  })

  it('cannot be escaped to files outside their folder', async () => {
    const { send } = await startNotes({ webRoot: build() })
    for (const path of [
      '/../outside.txt',
      '/%2e%2e/outside.txt',
      '/..%2foutside.txt',
      '/assets/..%2f..%2foutside.txt',
      '/%00.txt',
    ])
      expect((await send('GET', path, { token: null })).text, path).not.toContain('not for you')
  })

  it('may be missing: then a page explains how to build them', async () => {
    const { send } = await startNotes()
    const answer = await send('GET', '/runs', { token: null })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.text).toContain('npm run build')
  })
})
