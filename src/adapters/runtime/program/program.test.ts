// @suite process

import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { makeLaunch, readAll, textsOf } from '../contract-suite.ts'
import { createProgramRuntime } from './runtime.ts'

const runtime = createProgramRuntime()

async function run(script: string, prompt = '') {
  const launch = await makeLaunch({ prompt, options: { command: ['/bin/sh', '-c', script] } })
  return readAll(await runtime.launch(launch))
}

const reportsOf = async (script: string): Promise<unknown[]> =>
  (await run(script)).flatMap((event) => (event.kind === 'report' ? [event.report] : []))

it('passes the complete prompt on standard input', async () => {
  const prompt = `Zwölf Flüsse ${'x'.repeat(1_000_000)}`
  expect(textsOf(await run('wc -c', prompt))).toEqual([String(Buffer.byteLength(prompt))])
})

it('accepts a program that never reads its prompt', async () => {
  expect((await run('exec 0<&-; echo hi', 'x'.repeat(1_000_000))).at(-1)).toMatchObject({ exitCode: 0 })
})

it('reports standard error as text too', async () => {
  expect(textsOf(await run('echo oops >&2'))).toEqual(['oops'])
})

describe('a report in the last line', () => {
  const done = '{"status":"done","summary":"x"}'

  it.each([
    [`echo '${done}'`, 1],
    [`printf '%s' '${done}'`, 1],
    [`echo '  ${done}  '; echo; echo '  '`, 1],
    [`echo '${done}'; echo 'not the last'`, 0],
    [`echo '${done}' >&2`, 0],
    [`echo '{"status":"done"}'`, 0],
    [`echo '["status","summary"]'`, 0],
    [`echo '{"status":"done","summary":'`, 0],
    [`yes | head -c 3000000; echo '${done}'`, 1],
    [`echo '${done}'; yes | head -c 3000000`, 0],
    ['true', 0],
  ])('of the output of %j is found %i times', async (script, count) => {
    expect(await reportsOf(script)).toHaveLength(count)
  })

  it('comes after a report in the outbox, which has no time', async () => {
    const laidOut = '{"status":"partial","summary":"half"}'
    expect(await reportsOf(`echo '${done}'; echo '${laidOut}' > .agency/outbox/report.json`)).toEqual([
      JSON.parse(laidOut),
      JSON.parse(done),
    ])
  })
})

describe('the check of options', () => {
  it.each([
    [{}, 'the program runtime: command: '],
    [{ command: 'echo hi' }, 'the program runtime: command: '],
    [{ command: [] }, 'the program runtime: command[0]: '],
    [{ command: [''] }, 'the program runtime: command[0]: '],
    [{ command: ['echo', 1] }, 'the program runtime: command[1]: '],
    [{ command: ['echo', 'a\0b'] }, 'the program runtime: command: contains a NUL character'],
    [{ command: ['echo'], shell: true }, 'the program runtime: '],
    [{ command: ['no-such-program-here'] }, 'program "no-such-program-here" was not found'],
    [{ command: ['/no/such/program'] }, 'program "/no/such/program" was not found'],
  ])('rejects %j', (options, message) => {
    expect(() => runtime.checkOptions(options)).toThrow(message)
  })

  it('accepts a path inside the workspace, which does not exist yet', () => {
    expect(() => runtime.checkOptions({ command: ['./run.sh'] })).not.toThrow()
    expect(() => runtime.checkOptions({ command: ['sh'] })).not.toThrow()
  })
})

describe('the error of an agent that could not be started', () => {
  it('names a missing program', async () => {
    const launch = await makeLaunch({ options: { command: ['/no/such/program'] } })
    await expect(runtime.launch(launch)).rejects.toThrow('cannot start "/no/such/program": no such program')
  })

  it('names a file that is not executable', async () => {
    const launch = await makeLaunch({ options: { command: ['./plain'] } })
    await writeFile(join(launch.workspace.path, 'plain'), 'x')
    await chmod(join(launch.workspace.path, 'plain'), 0o600)
    await expect(runtime.launch(launch)).rejects.toThrow('cannot start "./plain": it is not executable')
  })

  it('names a missing workspace', async () => {
    const launch = await makeLaunch({ options: { command: ['sh'] } })
    await rm(launch.workspace.path, { recursive: true })
    await expect(runtime.launch(launch)).rejects.toThrow('cannot start "sh": its workspace no longer exists')
  })
})
