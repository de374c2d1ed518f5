import { expect, it } from 'vitest'

import { ranOutsideBox } from './checked-in.ts'

it.each<[string, { kind: string; boxed: boolean; detail: string }, boolean]>([
  ['a command without a box', { kind: 'command', boxed: false, detail: 'exit code 0' }, true],
  ['a command in a box', { kind: 'command', boxed: true, detail: 'exit code 0' }, false],
  ['a file', { kind: 'file', boxed: false, detail: 'a.txt, 3 bytes' }, false],
  ['a command that was not run', { kind: 'command', boxed: false, detail: 'not run: the setup failed' }, false],
])('says whether %s ran outside any box', (_, check, isOutside) => {
  expect(ranOutsideBox(check)).toBe(isOutside)
})
