// @suite process

import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

import { entryPath } from '../../../entries.ts'

const ask = (input: unknown, allowed?: string): { answer: string; code: number | null } => {
  const env = { PATH: process.env['PATH'] ?? '', ...(allowed === undefined ? {} : { AGENCY_ALLOWED: allowed }) }
  const { stdout, status } = spawnSync(process.execPath, [entryPath('claude-permit')], {
    input: typeof input === 'string' ? input : JSON.stringify(input),
    env,
    encoding: 'utf8',
  })
  return { answer: stdout, code: status }
}

const rm = { tool_name: 'Bash', tool_input: { command: 'rm -rf build', description: 'Clean' } }

it('allows exactly the operations that the operator allowed', () => {
  expect(JSON.parse(ask(rm, '["Bash(rm -rf build)"]').answer)).toEqual({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
  })
})

it.each([
  ['no operation was allowed', rm, undefined],
  ['only similar operations were allowed', rm, '["Bash(rm -rf b)", "Bash(rm:*)", "Bash"]'],
  ['the tool is another one', { ...rm, tool_name: 'Write' }, '["Bash(rm -rf build)"]'],
  ['the list is not a list', rm, '"Bash(rm -rf build)"'],
  ['the list is invalid JSON', rm, '['],
  ['the request is invalid JSON', '{', '["Bash(rm -rf build)"]'],
])('gives no answer if %s', (_, input, allowed) => {
  expect(ask(input, allowed).answer).toBe('')
})
