// @suite process

import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'

import { program as findProgram } from '../../test/support/machine.ts'
import { freshFolder } from '../../test/support/store.ts'
import { completionScript } from './completion.ts'
import { createContext } from './context.ts'
import { buildProgram } from './program.ts'

let tree: Command
beforeAll(() => {
  tree = buildProgram(createContext({ AGENCY_HOME: '/nonexistent' }), () => {})
})

const quote = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')

/** Returns the words that the real shell offers after these words; the last one is being typed. */
const offered = {
  bash: (words) =>
    execFileSync('bash', [
      '--norc',
      '-c',
      `${completionScript(tree, 'bash')}
COMP_WORDS=(${quote(words)}); COMP_CWORD=${words.length - 1}; _agency; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]),
  // Its own completion system needs a terminal; the list of its offers does not.
  zsh: (words) =>
    execFileSync('zsh', [
      '-f',
      '-c',
      `compdef() { : }; _files() { print -- files }; _describe() { print -l -- "\${(@P)2%%:*}" }
${completionScript(tree, 'zsh')}
words=(${quote(words)}); CURRENT=${words.length}; _agency | while read -r line; do [[ "$line" == '${words.at(-1) ?? ''}'* ]] && print -- "$line"; done; true`,
    ]),
  fish: (words) =>
    execFileSync('fish', [
      '--no-config',
      '-c',
      `${completionScript(tree, 'fish')}\ncomplete -C ${quote([words.join(' ')])} | string replace -r '\\t.*' ''; true`,
    ]),
} satisfies Record<string, (words: readonly string[]) => Buffer>

describe.each(['bash', 'zsh', 'fish'] as const)('completion in %s', (shell) => {
  const offers = (...words: string[]): string[] => offered[shell](words).toString().split('\n').filter(Boolean)
  const has = findProgram(shell) !== null

  it.skipIf(!has)('offers commands, also from a prefix', () => {
    expect(offers('agency', '')).toEqual(expect.arrayContaining(['up', 'down', 'run', 'mission']))
    expect(offers('agency', 'ins')).toEqual(['inspect'])
  })

  it.skipIf(!has)('offers the options of a command, after an argument too', () => {
    expect(offers('agency', 'watch', '--').sort()).toEqual(['--from', '--help', '--json', '--level'])
    expect(offers('agency', 'watch', 'run_1', '--l')).toEqual(['--level'])
  })

  it.skipIf(!has)('offers commands of commands', () => {
    expect(offers('agency', 'mission', '')).toEqual(expect.arrayContaining(['create', 'list', 'show', 'set']))
    expect(offers('agency', 'mission', 'set', '--st')).toEqual(['--status'])
    expect(offers('agency', 'jobs', 're')).toEqual(['retry'])
  })

  it.skipIf(!has)('offers the choices of options and arguments', () => {
    expect(offers('agency', 'watch', 'run_1', '--level', '').sort()).toEqual(['normal', 'verbose'])
    expect(offers('agency', 'completion', 'z')).toEqual(['zsh'])
  })
})

/** A shell that is not installed cannot judge; the script is then only looked at. */
describe.each(['bash', 'zsh', 'fish'] as const)('the script for %s', (shell) => {
  it.skipIf(findProgram(shell) === null)('is valid for that shell', () => {
    const file = join(freshFolder(), `completion.${shell}`)
    writeFileSync(file, completionScript(tree, shell))
    const checked = spawnSync(shell, ['-n', file])
    expect(checked.stderr.toString()).toBe('')
    expect(checked.status).toBe(0)
  })

  it('contains every command and every option', () => {
    const script = completionScript(tree, shell)
    const walk = (command: Command): void => {
      for (const option of command.options)
        expect(script).toContain(shell === 'fish' ? `-l ${option.long?.slice(2)}` : option.long)
      for (const each of command.commands) {
        expect(script).toContain(each.name())
        walk(each)
      }
    }
    walk(tree)
  })
})
