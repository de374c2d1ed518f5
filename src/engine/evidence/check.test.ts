import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { aBrief } from '../../../test/support/work.ts'
import { systemClock } from '../../kernel/clock.ts'
import { Evidence } from '../../work/evidence/contract.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Finding } from '../../work/evidence/record.ts'
import { checkEvidence } from './check.ts'

let base: string
let workspace: Workspace

beforeEach(async () => {
  base = freshFolder()
  workspace = await createDirectoryWorkspaces({ root: join(base, 'workspaces') }).prepare(aBrief())
})

const inside = (path: string): string => join(workspace.path, path)
const put = (path: string, text: string): void => writeFileSync(inside(path), text)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const examined = (evidence: readonly object[], outputs: readonly string[] = [], mayRunCommands = true) =>
  checkEvidence({
    evidence: evidence.map((each) => Evidence.parse(each)),
    outputs,
    files: workspace,
    workspace,
    clock: systemClock,
    mayRunCommands,
  })

async function looked(evidence: object, outputs: readonly string[] = []): Promise<Finding> {
  const { findings } = await examined([evidence], outputs)
  return findings[0] as Finding
}

describe('a file', () => {
  it('passes if it exists, with its size and hash', async () => {
    put('poem.txt', 'A river\n')
    expect(await looked({ kind: 'file', path: 'poem.txt' })).toMatchObject({
      item: 0,
      kind: 'file',
      passed: true,
      detail: 'poem.txt, 8 bytes',
      sha256: sha256('A river\n'),
    })
  })

  it('passes only if every expectation is met', async () => {
    const text = 'A river flows\n'
    put('poem.txt', text)
    const file = { kind: 'file', path: 'poem.txt' }
    const fitting = [{ contains: 'river' }, { minBytes: text.length }, { sha256: sha256(text) }]
    const wrong = [
      [{ contains: 'ocean' }, 'poem.txt does not contain "ocean"'],
      [{ minBytes: text.length + 1 }, `poem.txt has 14 bytes, expected at least 15`],
      [{ sha256: sha256('another') }, 'poem.txt has another hash than expected'],
    ] as const
    for (const each of fitting) expect(await looked({ ...file, ...each })).toMatchObject({ passed: true })
    for (const [each, detail] of wrong)
      expect(await looked({ ...file, ...each })).toMatchObject({ passed: false, detail })
    expect(await looked(Object.assign({}, file, ...fitting) as object)).toMatchObject({ passed: true })
  })

  it('fails for an empty file, unless min_bytes is 0', async () => {
    put('empty', '')
    expect(await looked({ kind: 'file', path: 'empty' })).toMatchObject({ passed: false })
    expect(await looked({ kind: 'file', path: 'empty', minBytes: 0 })).toMatchObject({ passed: true })
  })

  it('fails for a missing file, a directory, a FIFO or a link that leads outside', async () => {
    writeFileSync(join(base, 'secret'), 'secret river')
    mkdirSync(inside('directory'))
    execFileSync('mkfifo', [inside('fifo')])
    symlinkSync(join(base, 'secret'), inside('absolute'))
    symlinkSync('../../../secret', inside('relative'))
    symlinkSync(base, inside('folder'))
    symlinkSync(join(base, 'nothing'), inside('broken'))
    symlinkSync('nothing', inside('inner'))
    symlinkSync('inner', inside('chain'))
    symlinkSync('absolute', inside('detour'))
    symlinkSync('endless', inside('endless'))
    const leadsOut = 'is a link that leads outside the workspace'
    const reasons = {
      missing: 'is missing',
      'directory/missing': 'is missing',
      directory: 'is a directory and not a file',
      fifo: 'is not a regular file',
      absolute: leadsOut,
      relative: leadsOut,
      'folder/secret': leadsOut,
      'folder/nothing': leadsOut,
      broken: leadsOut,
      detour: leadsOut,
      inner: 'is a link to nothing, which is missing',
      chain: 'is a link to nothing, which is missing',
      endless: 'is a link that leads to no file',
    }
    for (const [path, reason] of Object.entries(reasons))
      expect(await looked({ kind: 'file', path, contains: 'river' }), path).toMatchObject({
        passed: false,
        sha256: null,
        detail: `${path} ${reason}`,
      })
  })

  it('is found through a link that stays inside', async () => {
    put('poem.txt', 'river')
    symlinkSync('poem.txt', inside('link'))
    expect(await looked({ kind: 'file', path: 'link', contains: 'river' })).toMatchObject({ passed: true })
  })

  it('is missing with the names of the reported files, at most three of them', async () => {
    for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) put(name, 'river')
    expect(await looked({ kind: 'file', path: 'p.txt' }, ['a.md'])).toMatchObject({
      detail: 'p.txt is missing; the report names a.md',
    })
    expect(await looked({ kind: 'file', path: 'p.txt' }, ['a.md', 'b.md', 'c.md', 'd.md'])).toMatchObject({
      detail: 'p.txt is missing; the report names a.md, b.md, c.md and 1 more',
    })
    expect(await looked({ kind: 'file', path: 'p.txt' }, ['gone.md'])).toMatchObject({ detail: 'p.txt is missing' })
  })

  it('is not read if it has terabytes', async () => {
    put('huge', '')
    truncateSync(inside('huge'), 5 * 1024 ** 4)
    expect(await looked({ kind: 'file', path: 'huge' })).toMatchObject({
      passed: false,
      detail: 'huge is too large: 5497.6 GB, and at most 4.3 GB are read',
    })
  })

  it('is searched in its first million bytes and hashed completely', async () => {
    const text = `river ${'x'.repeat(1_100_000)} ocean`
    put('long', text)
    expect(await looked({ kind: 'file', path: 'long', contains: 'river', sha256: sha256(text) })).toMatchObject({
      passed: true,
    })
    expect(await looked({ kind: 'file', path: 'long', contains: 'ocean' })).toMatchObject({ passed: false })
  })

  it('cannot be named outside the workspace', () => {
    for (const path of ['/etc/passwd', '../secret', 'a/../../secret', 'a\0b', ''])
      expect(Evidence.safeParse({ kind: 'file', path }).success, path).toBe(false)
  })
})

describe('a command', () => {
  it('passes or fails by its exit code', async () => {
    put('poem.txt', 'river\n')
    expect(await looked({ kind: 'command', run: 'cat poem.txt' })).toMatchObject({
      kind: 'command',
      passed: true,
      detail: 'exit code 0',
      output: 'river\n',
      sha256: sha256('river\n'),
      boxed: false,
    })
    expect(await looked({ kind: 'command', run: 'echo no; exit 4' })).toMatchObject({
      passed: false,
      detail: 'exit code 4, expected 0',
      output: 'no\n',
    })
    expect(await looked({ kind: 'command', run: 'exit 4', expectExit: 4 })).toMatchObject({ passed: true })
    expect(await looked({ kind: 'command', run: 'true', expectExit: 4 })).toMatchObject({ passed: false })
  })

  it('passes by its output on stdout or stderr', async () => {
    const command = { kind: 'command', expectOutput: '3 passed' }
    expect(await looked({ ...command, run: 'echo 3 passed' })).toMatchObject({ passed: true })
    expect(await looked({ ...command, run: 'echo 3 passed >&2' })).toMatchObject({ passed: true })
    expect(await looked({ ...command, run: 'echo 2 passed' })).toMatchObject({
      passed: false,
      detail: 'its output does not contain "3 passed"',
    })
    expect(await looked({ ...command, run: 'echo 3 passed; exit 1' })).toMatchObject({ passed: false })
  })

  it('passes by the end of an output of several megabytes, and fails with its true last lines', async () => {
    const command = { kind: 'command', run: 'yes river | head -n 400000; echo ALL OK' }
    expect(await looked({ ...command, expectOutput: 'river\nALL OK' })).toMatchObject({ passed: true })
    expect(await looked({ ...command, expectOutput: 'ALL FINE' })).toMatchObject({
      passed: false,
      detail: 'its output does not contain "ALL FINE" (only a part of its 2.4 MB of output is kept)',
      end: 'river\nriver\nriver\nriver\nALL OK',
    })
  })

  it('fails with the limit that it exceeded', async () => {
    const breach = 'limit_exceeded: processes (14 of 10)'
    const killed = { exitCode: null, signal: 'SIGKILL', timedOut: false, output: breach, outputSha256: '', breach }
    const narrow: Workspace = { ...workspace, run: async () => ({ ...killed, durationMs: 1, boxed: true }) }
    const evidence = [Evidence.parse({ kind: 'command', run: 'sh par.sh' })]
    const check = { evidence, outputs: [], files: narrow, workspace: narrow, mayRunCommands: true, clock: systemClock }
    const { findings } = await checkEvidence(check)
    expect(findings[0]).toMatchObject({ passed: false, detail: `killed, ${breach}` })
  })

  it('fails on a timeout or a signal, and counts as unchecked if it could not be started', async () => {
    expect(await looked({ kind: 'command', run: 'echo begun; sleep 60', timeoutSeconds: 0.3 })).toMatchObject({
      passed: false,
      detail: 'still running after 0.3 s',
      output: 'begun\n',
    })
    expect(await looked({ kind: 'command', run: 'kill -9 $$' })).toMatchObject({
      passed: false,
      detail: 'killed by SIGKILL',
    })
    rmSync(workspace.path, { recursive: true })
    await expect(looked({ kind: 'command', run: 'true' })).rejects.toThrow('$ true could not be run')
  })

  it('is stored with the beginning and the end of its output and the hash of all of it', async () => {
    const all = 'river\n'.repeat(400_000)
    const finding = await looked({ kind: 'command', run: 'yes river | head -n 400000' })
    expect(finding).toMatchObject({
      passed: true,
      detail: 'exit code 0 (only a part of its 2.4 MB of output is kept)',
      sha256: sha256(all),
    })
    expect(finding.output).toMatch(
      /^(?:river\n)+\w*\n… the output has 2400000 bytes, and most of them are left out …\n\w*\n?(?:river\n)+$/,
    )
    expect(finding.output.length).toBeLessThanOrEqual(4_000)
  })

  it('loses its secrets before it is stored', async () => {
    const finding = await looked({ kind: 'command', run: `echo key sk-${'a1'.repeat(10)}` })
    expect(finding.output).toBe('key [redacted]\n')
  })

  it('is not run without a sandbox', async () => {
    const { findings } = await examined([{ kind: 'command', run: 'touch ran' }], [], false)
    expect(findings[0]).toMatchObject({
      passed: false,
      detail: 'not run: no sandbox is available for commands of this runtime',
    })
    expect(await workspace.read('ran', 0)).toBeNull()
  })
})

describe('an artifact', () => {
  beforeEach(() => {
    put('poem.txt', 'river\n')
    put('notes.md', 'notes\n')
  })

  it('passes if at least one output is reported and all of them exist', async () => {
    const artifact = { kind: 'artifact' }
    expect(await looked(artifact, ['poem.txt'])).toMatchObject({
      passed: true,
      detail: 'poem.txt, 6 bytes',
      sha256: sha256('river\n'),
    })
    expect(await looked(artifact, ['poem.txt', 'notes.md'])).toMatchObject({
      passed: true,
      detail: '2 outputs',
      sha256: null,
    })
    expect(await looked(artifact, [])).toMatchObject({ passed: false, detail: 'the report names no output' })
    expect(await looked(artifact, ['poem.txt', 'gone.txt', 'lost.txt'])).toMatchObject({
      passed: false,
      detail: 'reported but missing: gone.txt, lost.txt',
    })
  })

  it('with a path passes if that file was reported and exists', async () => {
    const artifact = { kind: 'artifact', path: 'poem.txt' }
    expect(await looked(artifact, ['notes.md', 'poem.txt'])).toMatchObject({
      passed: true,
      detail: 'poem.txt, 6 bytes',
    })
    expect(await looked(artifact, ['notes.md'])).toMatchObject({
      passed: false,
      detail: 'poem.txt was not reported as an output; the report names notes.md',
    })
    rmSync(inside('poem.txt'))
    expect(await looked(artifact, ['poem.txt'])).toMatchObject({
      passed: false,
      detail: 'poem.txt was reported but is missing',
    })
  })

  it('fails if the reported path leads outside', async () => {
    writeFileSync(join(base, 'secret'), 'secret')
    symlinkSync(join(base, 'secret'), inside('link'))
    for (const path of ['/etc/passwd', '../../../secret', 'link', '.', 'a\0b'])
      expect(await looked({ kind: 'artifact' }, [path]), path).toMatchObject({ passed: false })
    expect((await examined([], ['/etc/passwd', '../../../secret', 'link'])).outputs).toEqual([])
  })
})

it('returns each reported file once, with its size and hash', async () => {
  put('poem.txt', 'river\n')
  expect((await examined([], ['poem.txt', 'poem.txt', 'gone.txt'])).outputs).toEqual([
    { path: 'poem.txt', bytes: 6, sha256: sha256('river\n') },
  ])
})

it('checks every item in order, also after a failure', async () => {
  put('poem.txt', 'river\n')
  const { findings } = await examined([
    { kind: 'file', path: 'missing' },
    { kind: 'command', run: 'false' },
    { kind: 'file', path: 'poem.txt' },
  ])
  expect(findings.map(({ item, kind, passed }) => [item, kind, passed])).toEqual([
    [0, 'file', false],
    [1, 'command', false],
    [2, 'file', true],
  ])
})

it('never measures a negative duration, even if the clock is set back', async () => {
  const clock = createVirtualClock()
  const slow: Workspace = {
    ...workspace,
    run: async (...call) => {
      clock.jump(-3_600_000)
      return workspace.run(...call)
    },
  }
  const evidence = [Evidence.parse({ kind: 'command', run: 'true' })]
  const { findings } = await checkEvidence({
    evidence,
    outputs: [],
    files: slow,
    workspace: slow,
    clock,
    mayRunCommands: true,
  })
  expect(findings[0]?.durationMs).toBe(0)
})
