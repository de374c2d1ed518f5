import { expect, it } from 'vitest'

import { parseAgentFile } from './agent-file.ts'

const body = '# Frontend\n\nBuilds pages.'

it.each([
  ['plain', '---\nname: Frontend Developer\ndescription: Builds pages\n---\n'],
  ['quoted', '---\nname: "Frontend Developer"\ndescription: \'Builds pages\'\n---\n'],
  [
    'with Windows line ends and a byte order mark',
    '\uFEFF---\r\nname: Frontend Developer\r\ndescription: Builds pages\r\n---\r\n',
  ],
  ['over several lines', '---\nname: Frontend Developer\ndescription: >\n  Builds\n  pages\n---\n'],
  [
    'with other fields around',
    '---\ncolor: blue\nname: Frontend Developer\ntools: Read, Write\nservices:\n  - name: x\ndescription: Builds pages\n---\n',
  ],
  ['with capital names', '---\nName: Frontend Developer\nDescription: Builds pages\n---\n'],
  ['with tabs, which YAML refuses', '---\nname:\tFrontend Developer\ntools:\t[\ndescription: Builds pages\n---\n'],
])('reads front matter %s', (_, front) => {
  const read = parseAgentFile(`${front}\n${body}\n`)
  expect(read).toEqual({ name: 'Frontend Developer', description: 'Builds pages', role: '', body })
})

it.each([
  [
    'description: Use this agent when: you are stuck, e.g. "help: me"',
    'Use this agent when: you are stuck, e.g. "help: me"',
  ],
  ['description: [draft] pages', '[draft] pages'],
  ['description: *bold* claims', '*bold* claims'],
  ['description: 100% done, @home', '100% done, @home'],
])('reads %j although it is not YAML', (line, description) => {
  expect(parseAgentFile(`---\nname: A\n${line}\n---\ntext`)).toMatchObject({ name: 'A', description })
})

it('does not follow aliases', () => {
  const bomb = [
    'a: &a [x,x]',
    ...'bcdefgh'.split('').map((letter, i) => `${letter}: &${letter} [*${'abcdefg'[i]},*${'abcdefg'[i]}]`),
    'name: Bomb',
  ].join('\n')
  expect(parseAgentFile(`---\n${bomb}\n---\ntext`)).toMatchObject({ name: 'Bomb' })
})

it.each(['', 'text', '# Title\n\n---\nname: A\n---\n', '---\nname: A\n', '--- name: A ---'])(
  'finds no front matter in %j',
  (text) => {
    expect(parseAgentFile(text)).toBeNull()
  },
)

it('treats values that are not texts as missing', () => {
  expect(parseAgentFile('---\nname: [a]\n---\ntext')).toMatchObject({ name: '' })
  expect(parseAgentFile('---\n- a\n---\ntext')).toMatchObject({ name: '' })
  expect(parseAgentFile('---\n---\ntext')).toMatchObject({ name: '', body: 'text' })
})
