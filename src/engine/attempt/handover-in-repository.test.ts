// @suite process

import { expect, it } from 'vitest'

import { openProofs } from '../../../test/support/proofs.ts'
import { createProgramRuntime } from '../../adapters/runtime/program/runtime.ts'

/** A brief whose agent is a shell script that reports one output. */
const brief = (key: string, script: string, output: string, after: readonly string[] = []) => ({
  key,
  objective: `Do ${key}`,
  after,
  evidence: [{ kind: 'command', run: 'true' }],
  verify: 'none',
  runtimeOptions: {
    command: [
      '/bin/sh',
      '-c',
      `set -e\n${script}\necho '${JSON.stringify({ status: 'done', summary: key, outputs: [output] })}'`,
    ],
  },
})

it.each([
  ['changed', "printf 'two\\n' >> a.txt", 'a.txt'],
  ['renamed', 'git mv a.txt c.txt', 'c.txt'],
])(
  'does without a merged file that was %s later and of which git converts the line ends',
  async (_, change, output) => {
    const { agency, start } = await openProofs(
      { '.gitattributes': '* text=auto eol=crlf\n' },
      { runtimes: [createProgramRuntime()] },
    )
    const run = await start(
      [
        brief('first', "printf 'one\\n' > a.txt", 'a.txt'),
        brief('second', change, output, ['first']),
        brief('third', `cp ${output} b.txt`, 'b.txt', ['first', 'second']),
      ],
      { runtime: 'program', runtimeOptions: { command: ['/bin/true'] } },
    )
    await agency.until(async () => ['verified', 'done', 'blocked'].includes((await agency.brief(run, 'third')).status))
    expect((await agency.inspect(run)).attempts.at(-1)).toMatchObject({ outcome: 'ok', inputsSeen: [] })
  },
)
