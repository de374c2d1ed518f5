// @suite process

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeEach, describe, expect, it } from 'vitest'

import { freshFolder } from '../../test/support/store.ts'
import { entryPath } from '../entries.ts'

let home: string
beforeEach(() => {
  home = freshFolder()
})

/** Calls the command as a shell does that has only the system's folders, and these, on its PATH. */
function agencyPath(words: string[], folders: string[] = []): { status: number | null; out: string; err: string } {
  const ended = spawnSync(process.execPath, [entryPath('agency'), 'path', ...words], {
    encoding: 'utf8',
    env: { HOME: home, AGENCY_HOME: join(home, 'agency'), PATH: [...folders, '/usr/bin', '/bin'].join(':') },
  })
  return { status: ended.status, out: ended.stdout, err: ended.stderr }
}

describe('agency path', () => {
  it('writes a script that starts this copy, and then finds it on the PATH', () => {
    const bin = join(home, '.local', 'bin')
    expect(agencyPath([]).out).toContain('"agency" is not on your PATH.')
    expect(agencyPath(['--add']).out).toContain(`export PATH=${bin}:"$PATH"`)
    expect(agencyPath(['--add'], [bin]).out).toContain(`"agency" is on your PATH: ${join(bin, 'agency')}`)
    const version = spawnSync(join(bin, 'agency'), ['--version'], { encoding: 'utf8', env: { HOME: home } })
    expect([version.status, version.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+/)])
  })

  it('prints a command that works from any folder', () => {
    const command = /To put it there: (.+)/.exec(agencyPath([]).out)?.[1] ?? ''
    const ran = spawnSync('sh', ['-c', command], { cwd: '/', encoding: 'utf8', env: { HOME: home, PATH: '/bin' } })
    expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining('Written: ')])
  })

  it('never replaces a foreign file or link', () => {
    const other = join(home, 'agency')
    writeFileSync(other, 'something else')
    expect(agencyPath(['--add', home])).toMatchObject({ status: 4, err: expect.stringContaining('was not written by') })
    expect(readFileSync(other, 'utf8')).toBe('something else')
    const linked = join(home, 'linked')
    mkdirSync(linked)
    symlinkSync(other, join(linked, 'agency'))
    expect(agencyPath(['--add', linked]).status).toBe(4)
  })

  it('names an earlier program of the same name', () => {
    writeFileSync(join(home, 'agency'), '#!/bin/sh\n', { mode: 0o755 })
    expect(agencyPath([], [home]).out).toContain(`"agency" on your PATH is another program: ${join(home, 'agency')}`)
  })

  it('quotes folders with spaces and quotes', () => {
    const odd = join(home, `it's here`)
    expect(agencyPath(['--add', odd], [odd]).out).toContain(`on your PATH: ${join(odd, 'agency')}`)
    expect(agencyPath(['--add', odd]).out).toContain(`it'\\''s here':"$PATH"`)
  })
})
