import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { freshFolder } from '../../../../test/support/store.ts'
import { Evidence } from '../../evidence/contract.ts'
import { parseEvidence, parseOptions, readScenario, programWords } from './arguments.ts'

describe('evidence on the command line', () => {
  it.each([
    ['file:poem.txt', { kind: 'file', path: 'poem.txt' }],
    ['command:test -s a:b', { kind: 'command', run: 'test -s a:b' }],
    ['artifact:report.md', { kind: 'artifact', path: 'report.md' }],
    ['artifact', { kind: 'artifact' }],
    ['{"kind":"file","path":"a","min_bytes":3}', { kind: 'file', path: 'a', min_bytes: 3 }],
  ])('%s', (text, evidence) => {
    expect(parseEvidence(text)).toEqual(evidence)
  })

  it('is what the contract takes', () => {
    for (const text of ['file:a', 'command:true', 'artifact', 'artifact:b'])
      expect(Evidence.safeParse(parseEvidence(text)).success).toBe(true)
  })

  it.each(['poem.txt', 'file:', 'command:', 'url:x', '', '{"kind":'])('refuses %j', (text) => {
    expect(() => parseEvidence(text)).toThrow(/--evidence/)
  })
})

describe('options of a runtime', () => {
  it('are numbers, yes and no, JSON, or text', () => {
    expect(
      parseOptions(['model=some/model:7b=x', 'max_steps=20', 'fast=true', 'more={"a":[1]}', 'odd={a', 'none=']),
    ).toEqual({ model: 'some/model:7b=x', max_steps: 20, fast: true, more: { a: [1] }, odd: '{a', none: '' })
  })

  it.each([['model'], ['=x'], ['a=1', 'a=2']])('are refused: %s', (...given) => {
    expect(() => parseOptions(given)).toThrow(/--option/)
  })
})

describe('a program with its arguments', () => {
  it('is taken apart as a shell does it', () => {
    const text = `sh -c 'echo "$1" \\n' "two words" back\\ slash "" "a\\"b\\\\c\\d" --x='1 2'`
    const byShell = execFileSync('sh', ['-c', `printf '%s\\0' ${text}`])
      .toString()
      .split('\0')
      .slice(0, -1)
    expect(programWords(text)).toEqual(byShell)
  })

  it('comes back whole, whatever is quoted', () => {
    const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        expect(programWords(words.map(quote).join('  '))).toEqual(words)
      }),
    )
  })

  it.each(['', '   ', "sh 'open", 'sh "open'])('is refused when it is %j', (text) => {
    expect(() => programWords(text)).toThrow(/--program/)
  })

  it('expands nothing', () => {
    expect(programWords('echo $HOME *.ts ~ `id` | cat')).toEqual(['echo', '$HOME', '*.ts', '~', '`id`', '|', 'cat'])
  })
})

describe('a scenario', () => {
  it('is sent by name, or as the text of its file', () => {
    const file = join(freshFolder(), 's.yaml')
    writeFileSync(file, 'attempts: []')
    expect(readScenario('demo')).toBe('demo')
    expect(readScenario(file)).toBe('attempts: []\n')
    expect(() => readScenario('./missing.yaml')).toThrow('the scenario ./missing.yaml cannot be read')
  })
})
