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

/** What a real bash offers after these words. */
function offered(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const script = `${completionScript(tree, 'bash')}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _agency; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', script]).toString().split('\n').filter(Boolean)
}

describe('completion in bash', () => {
  it('offers commands, also from a beginning', () => {
    expect(offered('agency', '')).toEqual(expect.arrayContaining(['up', 'down', 'run', 'mission', '--version']))
    expect(offered('agency', 'in')).toEqual(['inspect'])
  })

  it('offers the options of a command, after an argument too', () => {
    expect(offered('agency', 'watch', '--')).toEqual(['--level', '--from', '--json', '--help'])
    expect(offered('agency', 'watch', 'run_1', '--l')).toEqual(['--level'])
  })

  it('offers commands of commands', () => {
    expect(offered('agency', 'mission', '')).toEqual(expect.arrayContaining(['create', 'list', 'show', 'set']))
    expect(offered('agency', 'mission', 'set', '--st')).toEqual(['--status'])
  })

  it('offers what an option or an argument may be', () => {
    expect(offered('agency', 'watch', 'run_1', '--level', '')).toEqual(['normal', 'verbose'])
    expect(offered('agency', 'completion', 'z')).toEqual(['zsh'])
  })
})

/** A shell that is not installed cannot judge; the script is then only looked at. */
describe.each(['bash', 'zsh', 'fish'] as const)('the script for %s', (shell) => {
  it.skipIf(findProgram(shell) === null)('is understood by it', () => {
    const file = join(freshFolder(), `completion.${shell}`)
    writeFileSync(file, completionScript(tree, shell))
    const checked = spawnSync(shell, ['-n', file])
    expect(checked.stderr.toString()).toBe('')
    expect(checked.status).toBe(0)
  })

  it('knows every command and every option', () => {
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
