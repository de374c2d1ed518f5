import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { pause } from '../../src/kernel/clock.ts'
import { boxHere } from '../support/box.ts'
import { createTestCli, runToTheEnd, type TestCli } from '../support/cli.ts'
import { freshFolder } from '../support/store.ts'
import { program } from '../support/machine.ts'
import { isRunning } from '../support/processes.ts'

interface Status {
  pid: number
  address: string
}
interface Inspected {
  status: string
  run: { id: string; simulated: boolean; ended_at: string | null }
  briefs: { key: string; status: string }[]
  attempts: { id: string; outcome: string; report: { summary: string } }[]
  evidence: { passed: boolean; kind: string }[]
  artifacts: { name: string }[]
  events: { seq: number; kind: string; message: string }[]
}

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
if (!canMount) console.log('skipped: a read-only or full home: no mount namespace can be created here')

let cli: TestCli
beforeEach(() => {
  cli = createTestCli()
})
afterEach(() => cli.remove())

const status = (): Promise<Status> => cli.json<Status>('status')
/** The folder in which a waiting scenario looks for the file `go`; no box shows a file of the home. */
let signals: string
const waitingScenario = (): string => {
  signals = freshFolder()
  const path = join(cli.home, 'waiting.yaml')
  const steps = [
    { log: 'waiting' },
    { run: `until [ -e ${join(signals, 'go')} ]; do sleep 0.02; done` },
    { write: { path: 'poem.txt', text: 'River\n' } },
    { report: { summary: 'wrote it', outputs: ['poem.txt'] } },
  ]
  writeFileSync(path, JSON.stringify({ steps }))
  return path
}
const letGo = (): void => writeFileSync(join(signals, 'go'), '')
const startWaiting = async (): Promise<string> => {
  const scenario = waitingScenario()
  const options = ['--scenario', scenario, '--readable', signals, '--evidence', 'file:poem.txt']
  return (await cli.text('run', 'Write a poem', ...options)).trim()
}

describe('the daemon', () => {
  it('is started by a command that needs it, which reports this in one line', async () => {
    const ended = await cli.run('runs')
    expect(ended).toMatchObject({ code: 0, out: `no runs yet; 'agency run "<goal>"' starts one\n` })
    expect(ended.err).toMatch(/^agency: started the daemon \(pid \d+\)\n$/)
    expect((await cli.run('runs')).err).toBe('')
  })

  it.each([
    ['status'],
    ['down'],
    ['doctor'],
    ['config'],
    ['--help'],
    ['--version'],
    ['completion', 'bash'],
    ['whoami'],
    [],
  ])('is not started by %s', async (...words) => {
    await cli.run(...words)
    expect(readdirSync(cli.home).filter((name) => name !== 'cache')).toEqual([])
  })

  it('starts and stops; a second start or stop is not an error', async () => {
    expect(await cli.run('down')).toMatchObject({ code: 0, out: 'no daemon is running\n' })
    const up = await cli.run('up')
    expect(up.out).toMatch(/^agency is up \(pid \d+\) {2}http:\/\/agency-\w+\.localhost:\d+\/enter\?code=lnk_\w+\n$/)
    const { pid } = await status()
    expect(up.out).toContain(`pid ${pid}`)
    expect(await cli.run('up')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`was already up (pid ${pid})`) as string,
    })
    expect(await cli.run('down')).toMatchObject({ code: 0, out: `stopped (pid ${pid})\n` })
    expect(isRunning(pid)).toBe(false)
    expect(await cli.run('status')).toMatchObject({ code: 1, out: '' })
    expect(JSON.parse((await cli.run('status', '--json')).out)).toMatchObject({ pid: null, running: null })
  })

  it('is started once by several concurrent commands', async () => {
    const ups = await Promise.all([cli.run('up'), cli.run('up'), cli.run('up'), cli.run('runs')])
    expect(ups.map(({ code, err }) => [code, err.replace(/^agency: started.*\n/, '')])).toEqual(ups.map(() => [0, '']))
    const { pid } = await status()
    for (const { out } of ups.slice(0, 3)) expect(out).toContain(`(pid ${pid})`)
  })

  it('starts while the last one is still stopping', async () => {
    await cli.text('up')
    const before = await status()
    const [down, up] = await Promise.all([cli.run('down'), cli.run('up')])
    expect(down).toMatchObject({ code: 0 })
    expect(up).toMatchObject({ code: 0 })
    // The stop may have reached the new daemon; then the next command starts another one.
    await cli.text('up')
    expect((await status()).pid).not.toBe(before.pid)
  })

  it('starts again after a kill -9', async () => {
    await cli.text('up')
    const { pid } = await status()
    process.kill(pid, 'SIGKILL')
    const up = await cli.run('up')
    expect(up).toMatchObject({ code: 0, err: '' })
    expect((await status()).pid).not.toBe(pid)
  })

  it('reports in one line that the port is taken', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const up = await cli.run('up', '--port', String(port))
    server.close()
    expect(up.code).toBe(1)
    expect(up.err).toMatch(new RegExp(`^error: .*${port}.*\n {2}.+\n$`))
    expect(await cli.run('status')).toMatchObject({ code: 1 })
  })

  it('reports a fault of its configuration in one line', async () => {
    writeFileSync(join(cli.home, 'config.yaml'), 'slotz: 3\n')
    const up = await cli.run('up')
    expect(up.code).toBe(2)
    expect(up.err).toMatch(
      /^error: .*config\.yaml:1:1: unknown setting "slotz"; did you mean "slots"\?\n {2}The settings are: .+\n$/,
    )
    const doctor = await cli.run('doctor')
    expect(doctor.code).toBe(1)
    expect(doctor.out).toContain('✗ config')
  })

  it.skipIf(!canMount)('reports in one line that its home is read-only or full', async () => {
    // In a mount namespace of its own, so that nothing stays mounted in any case.
    const agency = cli.words.join(' ')
    const inside = (script: string): SpawnSyncReturns<string> =>
      spawnSync('unshare', ['-rm', 'sh', '-c', `mount -t tmpfs -o size=1m tmpfs ${cli.home} && ${script}`], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: cli.home, AGENCY_HOME: cli.home },
      })
    const readOnly = inside(`mount -o remount,ro ${cli.home}; ${agency} up`)
    expect([readOnly.status, readOnly.stderr]).toEqual([
      1,
      `error: the home ${cli.home} cannot be used: it is on a read-only file system\n  Set AGENCY_HOME to a writable directory.\n`,
    ])
    const full = inside(`head -c 2000000 /dev/zero > ${cli.home}/fill 2>/dev/null; ${agency} up`)
    expect(full.status).toBe(1)
    expect(full.stderr).toMatch(/^error: [^\n]*(full|no space)[^\n]*\n {2}Free some space[^\n]*\n$/)
    const nearly = inside(`head -c 900000 /dev/zero > ${cli.home}/fill; ${agency} up`)
    expect(nearly.status).toBe(1)
    expect(nearly.stderr).toMatch(/^error: [^\n]*full[^\n]*\n {2}Free some space[^\n]*\n$/)
  })

  it('stays in the terminal with --foreground, and stops at Ctrl-C', async () => {
    const up = cli.start(['up', '--foreground'])
    await up.printed('/enter?code=lnk_')
    expect((await status()).pid).toBe(up.child.pid)
    up.child.kill('SIGINT')
    expect(await up.ended).toMatchObject({ code: 0 })
    expect(existsSync(join(cli.home, 'daemon.json'))).toBe(false)
  })

  it('is reached in a home whose path is too long for a socket', async () => {
    const env = { AGENCY_HOME: join(cli.home, 'x'.repeat(120)), XDG_RUNTIME_DIR: cli.home }
    expect(await cli.start(['up'], env).ended).toMatchObject({ code: 0, err: '' })
    expect((await cli.start(['status', '--json'], env).ended).out).toContain(`"socket":"${cli.home}/agency/`)
    // Without the variable, the daemon's own file holds its address.
    expect(await cli.start(['down'], { AGENCY_HOME: env.AGENCY_HOME }).ended).toMatchObject({ code: 0 })
  })
})

describe('a run', () => {
  it('prints only its id, is watched to its end and inspected', async () => {
    const started = await cli.run(
      'run',
      'Write a haiku about rivers into poem.txt',
      '--playbook',
      'direct',
      '--runtime',
      'scripted',
      '--evidence',
      'file:poem.txt',
    )
    expect(started.out).toMatch(/^run_\w{12}\n$/)
    const id = started.out.trim()
    const watched = await cli.run('watch', id)
    expect(watched).toMatchObject({ code: 0, err: '' })
    const short = id.slice(4, 10)
    const [label, ...lines] = watched.out.trimEnd().split('\n')
    expect(label).toBe('simulated: no agent does this work, and no model is called')
    for (const line of lines) expect(line).toMatch(new RegExp(`^\\[${short}\\] \\d\\d:\\d\\d:\\d\\d .{5} .{13} \\S`))
    expect(watched.out).toMatch(/RUN {3}DONE {10}/)

    const inspected = await cli.json<Inspected>('inspect', id)
    expect(inspected).toMatchObject({
      status: 'done',
      run: { id, simulated: true },
      briefs: [{ key: 'main', status: 'done' }],
      attempts: [{ outcome: 'ok' }],
      evidence: [{ passed: true, kind: 'file' }],
      artifacts: [{ name: 'poem.txt' }],
    })
    const text = await cli.text('inspect', short.slice(0, 4))
    expect(text).toMatch(/✓ done.*simulated/)
    expect(text).toMatch(/✓ attempt 1 {2}ok {2}scripted {2}simulated {2}not boxed/)
    expect(text).toContain('✓ file poem.txt: ')
    expect(await cli.text('inspect', id, '--artifacts')).toMatch(/poem\.txt {2}v1 {2}\d+ B {2}sha256/)
    expect(await cli.text('inspect', id, '--brief', 'main', '--history')).toContain('ASSIGNED')
    const printed = await cli.text('output', id)
    expect(printed).toContain('I am a simulated agent')
    expect(await cli.text('output', inspected.attempts[0]?.id ?? '', '--follow')).toBe(printed)
    expect(await cli.run('output', 'att_nope')).toMatchObject({ code: 3, out: '' })
    expect(await cli.text('runs')).toMatch(new RegExp(`${id} +✓ done +1/1 .*sim · Write a haiku`))
  })

  it('can be watched repeatedly as JSON, from a given event on', async () => {
    const id = (await cli.text('run', 'Write a haiku into poem.txt', '--runtime', 'scripted')).trim()
    await cli.text('watch', id)
    const all = (await cli.text('watch', id, '--json', '--level', 'verbose'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number })
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    const rest = (await cli.text('watch', id, '--json', '--level', 'verbose', '--from', '5')).trimEnd().split('\n')
    expect(rest).toHaveLength(all.length - 4)
  })

  it('stays watched when the daemon is killed and restarted', async () => {
    const id = await startWaiting()
    const watch = cli.start(['watch', id, '--json', '--level', 'verbose'])
    await watch.printed('waiting')
    process.kill((await status()).pid, 'SIGKILL')
    await watch.printed('agency: the connection was lost; waiting for the daemon')
    letGo()
    await cli.text('up')
    const ended = await watch.ended
    expect(ended.code).toBe(0)
    const seqs = ended.out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect((await cli.json<Inspected>('inspect', id)).status).toBe('done')
  })

  it('ends the watching command with exit code 1 when it fails', async () => {
    writeFileSync(join(cli.home, 'config.yaml'), 'on_limit: fail\n')
    const run = await cli.run('run', 'Lie', '--program', 'true', '--evidence', 'file:never.txt', '--watch')
    expect(run.code).toBe(1)
    expect(run.out).toMatch(/^run_\w{12}\n$/)
    expect(run.err).toContain('FAIL')
    expect(await cli.text('runs', '--status', 'failed')).toContain(run.out.trim())
    expect(await cli.text('inspect', run.out.trim())).toMatch(/✗ failed/)
  })

  it('tells its watcher how to decide what it waits for, and nothing about what is decided', async () => {
    const scenario = join(cli.home, 'asks.json')
    const options = ['blue', 'red', 'green'].map((key) => ({ key, label: key, detail: '' }))
    const asked = { status: 'blocked', summary: 'Which colour?' }
    const attempts = [
      [{ report: { ...asked, question: { text: 'Which colour?', options: [] } } }],
      [{ report: { ...asked, question: { text: 'Which blue?', options } } }],
      [{ say: 'Blue.' }],
    ]
    writeFileSync(scenario, JSON.stringify({ attempts }))
    const args = ['run', 'Paint it', '--runtime', 'scripted', '--scenario', scenario, '--watch']
    const run = cli.start(args)
    await run.printed('in another terminal: agency answer qst_')
    const { questions } = await cli.json<{ questions: { id: string; run_id: string }[] }>('questions')
    const [{ id, run_id } = { id: '', run_id: '' }] = questions
    await cli.text('answer', id, 'Blue.')
    await run.printed('"…"   (or: blue, red, green)\n')
    const second = await cli.json<{ questions: { id: string }[] }>('questions')
    await cli.text('answer', second.questions[0]?.id ?? '', 'blue')
    const again = cli.start(['watch', run_id])
    await again.printed('Which colour?')
    await cli.text('cancel', run_id)
    expect((await again.ended).err).not.toContain('in another terminal')
    expect((await run.ended).err).toContain(`in another terminal: agency answer ${id} "…"   (or: retry, abandon)\n`)
  })

  it('can be cancelled, with a reason', async () => {
    const id = await startWaiting()
    const watch = cli.start(['watch', id])
    await watch.printed('waiting')
    expect(await cli.text('cancel', id, '--reason', 'wrong goal')).toBe(`${id} cancelled\n`)
    expect(await watch.ended).toMatchObject({ code: 1 })
    expect(await cli.run('cancel', id)).toMatchObject({ code: 1 })
  })

  it('is refused without a runtime, and creates nothing', async () => {
    const run = await cli.run('run', 'Do something')
    expect(run).toMatchObject({ code: 1, out: '' })
    expect(run.err).toMatch(/\nerror: .+\n {2}.*--runtime.*\n$/)
    expect(await cli.json('runs')).toMatchObject({ runs: [] })
    expect(await cli.json('mission', 'list')).toEqual({ missions: [] })
  })

  it('is refused in one line, with the exit code of the reason', async () => {
    await cli.text('up')
    const refusals: [string[], number][] = [
      [['inspect', 'run_nope'], 3],
      [['watch', 'run_nope'], 3],
      [['mission', 'show', 'mis_nope'], 3],
      [['run', 'x', '--runtime', 'scripted', '--evidence', 'file:../up'], 2],
      [['run', 'x', '--runtime', 'nonsense'], 2],
      [['run', 'x', '--scenario', 'nonsense'], 2],
      [['run', 'x', '--runtime', 'scripted', '--org', '99'], 3],
      [['brief'], 1],
    ]
    for (const [words, code] of refusals) {
      const ended = await cli.run(...words)
      expect([words, ended.code, ended.out]).toEqual([words, code, ''])
      expect(ended.err).toMatch(/^error: [^\n]+\n( {2}[^\n]+\n)?$/)
    }
    expect(await cli.json('runs')).toMatchObject({ runs: [] })
  })
})

describe('an agent', () => {
  it('reads its brief, logs and reports with the same command', async () => {
    const agency = cli.words.join(' ')
    // No box shows a file of the installation.
    const script = join(freshFolder(), 'agent.sh')
    writeFileSync(
      script,
      `set -e
${agency} whoami > who.txt
${agency} brief > brief.txt
${agency} log "half way"
echo hello > out.txt
${agency} runs 2> refused.txt && exit 9
printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' | ${agency} mcp > mcp.txt
${agency} report --status done --summary "wrote it" --output out.txt who.txt brief.txt refused.txt
`,
    )
    const run = await runToTheEnd(
      cli,
      boxHere.ok,
      'Greet',
      '--program',
      `sh ${script}`,
      '--evidence',
      'file:out.txt',
      '--evidence',
      'command:grep hello out.txt',
    )
    expect(run.err).toContain('half way')
    expect(run.code).toBe(0)
    const inspected = await cli.json<Inspected>('inspect', run.out.trim())
    expect(inspected.attempts).toMatchObject([{ outcome: 'ok', report: { summary: 'wrote it' } }])
    expect(inspected.evidence.map(({ passed }) => passed)).toEqual([true, true])
    const workspace = join(cli.home, 'workspaces', inspected.run.id)
    const read = (name: string): string => execFileSync('sh', ['-c', `cat ${workspace}/*/${name}`]).toString()
    expect(read('who.txt')).toMatch(new RegExp(`^agent \\d+ \\(persona \\d+\\) on ${inspected.run.id} brf_`))
    expect(read('brief.txt')).toMatch(/^# brf_\w+, attempt 1\nGreet\n/)
    expect(read('brief.txt')).toContain('out.txt')
    expect(read('mcp.txt')).toContain('"serverInfo"')
    expect(read('refused.txt')).toMatch(/^error: .+\n/)
  })
})

describe('a mission', () => {
  it('is created, listed, moved and run', async () => {
    const id = (
      await cli.text('mission', 'create', 'Ship 1.0', '--priority', 'high', '--tag', 'a', '--tag', 'b')
    ).trim()
    expect(id).toMatch(/^mis_\w{12}$/)
    expect(await cli.json('mission', 'show', id)).toMatchObject({
      title: 'Ship 1.0',
      priority: 'high',
      tags: ['a', 'b'],
    })
    expect(await cli.text('mission', 'list', '--status', 'backlog')).toContain('Ship 1.0')
    expect(await cli.run('mission', 'set', id, '--status', 'done')).toMatchObject({
      code: 1,
      err: expect.stringContaining('a mission cannot go from backlog to done') as string,
    })
    expect(await cli.text('mission', 'set', id, '--status', 'cancelled', '--reason', 'no')).toBe(`${id} cancelled\n`)
    expect(await cli.text('mission', 'show', id)).toContain('cancelled')
  })
})

describe.skipIf(program('tmux') === null)('on a terminal', () => {
  // One tmux server per test: the last one may still be running when the next starts.
  let servers = 0
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-L', `agency-${process.pid}-${servers}`, ...words], {
      env: { PATH: process.env['PATH'], HOME: cli.home, TERM: 'xterm' },
    }).toString()
  const shows = async (text: string | RegExp): Promise<string> => {
    for (;;) {
      const screen = tmux('capture-pane', '-p', '-J', '-t', 's')
      if (typeof text === 'string' ? screen.includes(text) : text.test(screen)) return screen
      await pause(30)
    }
  }
  const type = (line: string): string => tmux('send-keys', '-t', 's', '-l', `${line}\n`)

  beforeEach(() => {
    servers += 1
    tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      's',
      '-x',
      '70',
      '-y',
      '40',
      '-e',
      `AGENCY_HOME=${cli.home}`,
      '-e',
      `HOME=${cli.home}`,
      'sh',
    )
  })
  afterEach(() => void tmux('kill-server'))

  it('Ctrl-C ends the watching command but not the run', async () => {
    const id = await startWaiting()
    type(`PS1='> '; ${cli.words.join(' ')} watch ${id}; echo "exit=$?"`)
    await shows(/LOG +waiting/)
    tmux('send-keys', '-t', 's', 'C-c')
    const screen = await shows(/exit=\d/)
    expect(screen).toContain('exit=130')
    expect(screen.replace(/\s+/g, ' ')).toContain(`no longer watching; the run continues (agency watch ${id})`)
    expect((await cli.json<Inspected>('inspect', id)).status).toBe('running')
    letGo()
    await cli.text('watch', id)
  })

  it('tables fit its width and are coloured unless NO_COLOR is set', async () => {
    await cli.text('run', `Write ${'a very long goal '.repeat(20)}`, '--runtime', 'scripted', '--watch')
    type(`clear; ${cli.words.join(' ')} runs; echo "exit=$?"`)
    const screen = await shows(/exit=0/)
    const row = screen.split('\n').find((line) => line.startsWith('run_')) ?? ''
    expect(row).toMatch(/^run_\w+ +✓ done .*…$/)
    expect(row.length).toBeLessThanOrEqual(70)
    expect(tmux('capture-pane', '-p', '-e', '-t', 's')).toContain('\x1b[32m✓ done')
    type(`clear; NO_COLOR=1 ${cli.words.join(' ')} runs; echo "plain=$?"`)
    await shows(/plain=0/)
    expect(tmux('capture-pane', '-p', '-e', '-t', 's')).not.toContain('\x1b[32m')
  })
})
