import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { readablePaths } from './readable-paths.ts'

const folder = mkdtempSync(join(tmpdir(), 'agency-readable-'))
afterAll(() => rmSync(folder, { recursive: true }))
const [script, other] = [join(folder, 'list.sh'), join(folder, 'secret')]
writeFileSync(script, 'true')
writeFileSync(other, 'secret')
mkdirSync(join(folder, 'tools'))

describe('the paths that a run shows its agents', () => {
  it.each([
    [`sh ${script}`, [script]],
    [`/bin/bash -eu ${script} ${other}`, [script]],
    [`python3 -u ${script}`, [script]],
    [`node --no-warnings ${script} ${other}`, [script]],
  ])('include the script of %j', (program, paths) => {
    expect(readablePaths({ program })).toEqual(paths)
  })

  it.each([
    `bash -c 'cat $1' _ ${other}`,
    `sh -ec ${other}`,
    `python3 -m ${script}`,
    `node -e ${script}`,
    `cat ${other}`,
    `${script} ${other}`,
    `sh ${folder}`,
    `sh ${folder}/missing.sh`,
    'sh list.sh',
    'sh',
  ])('include nothing of %j', (program) => {
    expect(readablePaths({ program })).toBeUndefined()
  })

  it('include those of --readable, each once and absolute', () => {
    expect(readablePaths({ readable: [other, join(folder, 'tools/..', 'secret')], program: `sh ${script}` })).toEqual([
      other,
      script,
    ])
    expect(readablePaths({})).toBeUndefined()
    expect(() => readablePaths({ readable: [join(folder, 'missing')] })).toThrow('does not exist')
  })
})
