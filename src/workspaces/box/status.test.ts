// @suite process

import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { boxHere, createTestBox } from '../../../test/support/box.ts'
import { hasPython, reachAttacks } from '../../../test/box/reach.ts'
import type { Fixture } from '../../../test/box/fixture.ts'
import { systemClock } from '../../kernel/clock.ts'
import { runCommand } from '../command.ts'
import { createDirectoryWorkspaces } from '../directory.ts'
import { defaultPolicy } from '../policy.ts'
import { probeServer } from '../probe-server.ts'
import type { ProcessSpec, Workspace } from '../port.ts'
import { startInWorkspace } from '../process.ts'
import { runSetup } from '../setup/run.ts'
import type { BoxParts } from './box.ts'
import { processesOf } from './processes.ts'

let base: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'agency-status-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
})

async function prepare(parts: Partial<BoxParts> = {}): Promise<Workspace> {
  const workspaces = createDirectoryWorkspaces({ root: join(base, 'workspaces'), box: await createTestBox(parts) })
  return workspaces.prepare({ id: 'brf_1', runId: 'run_1', attemptId: `att_status_${process.pid}`, box: true, policy })
}

const policy = defaultPolicy('')
const limits = { timeoutMs: 30_000, maxOutputBytes: 20_000 }
const unwatched = { launchId: null, clock: systemClock, ...limits }
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' }

async function start(workspace: Workspace, script: string, spec: Partial<ProcessSpec> = {}) {
  const command = ['/bin/sh', '-c', `exec 2>&1\n${script}`] as const
  const inside = await startInWorkspace(workspace, { command, environment, ...spec }, ['ignore', 'pipe', 'ignore'])
  let output = ''
  inside.child.stdout?.on('data', (chunk) => (output += String(chunk)))
  const closed = once(inside.child, 'close')
  const ended = async () => {
    const exit = await inside.exited
    await closed
    return { ...exit, ...(await inside.leave()), output }
  }
  return { ...inside, ended, output: () => output }
}

describe.skipIf(!boxHere.ok)(`the end of a command in a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  it('is its exit code, or the signal that killed it, with and without connections', async () => {
    const workspace = await prepare()
    for (const spec of [{}, { offline: true }]) {
      for (const code of [0, 1, 42, 137, 255])
        expect(await (await start(workspace, `exit ${code}`, spec)).ended()).toMatchObject({ exitCode: code })
      for (const signal of ['SIGKILL', 'SIGTERM', 'SIGSEGV'])
        expect(await (await start(workspace, `kill -${signal.slice(3)} $$`, spec)).ended()).toMatchObject({
          exitCode: null,
          signal,
        })
    }
  })

  it('is known although the command kills everything that it can', async () => {
    const workspace = await prepare()
    expect(await workspace.run('kill -9 1; kill -STOP 1; kill -9 -1; exit 3', limits)).toMatchObject({ exitCode: 3 })
    expect(await workspace.run('sh -c "kill -9 -1"; exit 0', limits)).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
    })
  })

  it('does not come from lines that the command writes to the descriptors it finds', async () => {
    const workspace = await prepare()
    const forge = `for line in 'exit 0' ' exit 0' '00000000000000000000000000000000 exit 0'; do
      for path in /proc/[0-9]*/fd/*; do { echo "$line" > $path; } 2>/dev/null; done
      for fd in 3 4 5 6 7 8 9; do { echo "$line" >&$fd; } 2>/dev/null; done
    done; exit 9`
    expect(await workspace.run(forge, limits)).toMatchObject({ exitCode: 9 })
  })

  it('leaves the command nothing of init: no descriptor, no capability, no way to gain one', async () => {
    const workspace = await prepare()
    for (const spec of [{}, { offline: true }]) {
      const { output } = await (
        await start(workspace, 'ls /proc/self/fd; grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status', spec)
      ).ended()
      const none = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => `${name}:\t0000000000000000`)
      // Of `ls` itself, 3 is the directory that it lists.
      expect(output.trim().split('\n')).toEqual(['0', '1', '2', '3', ...none, 'NoNewPrivs:\t1', 'Seccomp:\t2'])
    }
  })

  it('keeps its secret and the environment out of the arguments of processes that others can see', async () => {
    const workspace = await prepare()
    const secrets: string[] = []
    const watched: Pick<Workspace, 'enter'> = {
      enter: async (spec) => {
        const prepared = await workspace.enter(spec)
        secrets.push(prepared.init?.secret ?? '')
        return prepared
      },
    }
    const script = `cat /proc/[0-9]*/cmdline | tr '\\0' ' '; env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'`
    const { output } = await (
      await start(watched as Workspace, script, { environment: { ...environment, TOKEN: 'a-token' } })
    ).ended()
    expect(secrets).toHaveLength(1)
    expect(output).not.toContain(secrets[0])
    expect(output).toContain('TOKEN=a-token')
    const { command } = await workspace.enter({ command: ['true'], environment: { TOKEN: 'a-token' } })
    expect(command.join(' ')).not.toContain('a-token')
  })

  it('does not load code that the environment names into bubblewrap, init or the forwarder', async () => {
    const workspace = await prepare()
    const hostile = {
      LD_PRELOAD: '/no/such/library.so',
      LD_AUDIT: '/no/such/audit.so',
      PERL5OPT: '-MNoSuchModule',
      NODE_OPTIONS: '--require=/no/such/module.js',
    }
    const inside = await startInWorkspace(
      workspace,
      { command: ['/bin/true'], environment: { ...environment, ...hostile } },
      ['ignore', 'ignore', 'pipe'],
    )
    let errors = ''
    inside.child.stderr?.on('data', (chunk) => (errors += String(chunk)))
    const closed = once(inside.child, 'close')
    expect(await inside.exited).toEqual({ exitCode: 0, signal: null })
    await closed
    await inside.leave()
    // The dynamic linker complains once for every program that it would have loaded it into: the command.
    expect(errors.match(/library\.so/g)).toHaveLength(1)
    expect(errors).not.toContain('NoSuchModule')
  })

  it('passes the command a program, arguments and variables with any characters', async () => {
    const workspace = await prepare()
    const command = ['/bin/sh', '-c', 'printf "%s|" "$0" "$@"; printenv A', '', 'a b', '=', "é'\n", '-x'] as const
    const inside = await startInWorkspace(
      workspace,
      { command, environment: { ...environment, A: '=1\n\t€', 'b-c.d': '' } },
      ['ignore', 'pipe', 'ignore'],
    )
    let output = ''
    inside.child.stdout?.on('data', (chunk) => (output += String(chunk)))
    const closed = once(inside.child, 'close')
    expect(await inside.exited).toEqual({ exitCode: 0, signal: null })
    await closed
    await inside.leave()
    expect(output).toBe("|a b|=|é'\n|-x|=1\n\t€\n")
    expect(await workspace.run('echo \0 0', limits)).toMatchObject({
      exitCode: null,
      output: 'could not be started (EINVAL)',
    })
  })

  it('is unknown if init was killed from outside, which is no exit code', async () => {
    const workspace = await prepare()
    let bubblewrap = 0
    const enter: Workspace['enter'] = async (spec) => {
      const prepared = await workspace.enter(spec)
      return { ...prepared, watch: (pid) => void (bubblewrap = pid) }
    }
    const command = 'echo $$ > began; sleep 60'
    const running = runCommand({ command, workspace: { enter, home: workspace.home }, ...unwatched })
    await vi.waitUntil(async () => (await workspace.read('began', 10)) !== null, { timeout: 15_000 })
    process.kill(processesOf(bubblewrap).first as number, 'SIGKILL')
    expect(await running).toMatchObject({
      exitCode: null,
      signal: null,
      timedOut: false,
      boxed: true,
      output: expect.stringContaining('its box ended before the exit of the command was known'),
    })
  })

  it('is not believed without the secret, even if bubblewrap exits with 0', async () => {
    const program = join(base, 'bwrap')
    await writeFile(
      program,
      '#!/bin/sh\nread -r plan <&3; for each in "" "x " " "; do echo "${each}began"; echo "${each}exit 0"; done >&3; exit 0\n',
      {
        mode: 0o755,
      },
    )
    const workspace = await prepare({ program })
    expect(await workspace.run('false', limits)).toMatchObject({ exitCode: null, signal: null })
  })

  it('is not taken from the exit code of bubblewrap, for a command, a setup or a probe', async () => {
    const program = join(base, 'bwrap')
    const begin = `secret=$(tr '\\0' '\\n' <&3 | sed -n 2p); echo "$secret began" >&3`
    await writeFile(program, `#!/bin/sh\n${begin}\necho '{"outcome":"failed","why":"","log":""}'\nexit 0\n`, {
      mode: 0o755,
    })
    const workspace = await prepare({ program })
    expect(await workspace.run('true', limits)).toMatchObject({ exitCode: null, signal: null, boxed: true })
    const entrance = { box: await createTestBox({ program }), clock: systemClock }
    const place = { path: workspace.path, home: workspace.home, wantsBox: true, launchId: null }
    const untilMs = systemClock.nowMs() + 30_000
    await expect(runSetup({ online: 'true' }, { entrance, place, environment: {}, untilMs })).rejects.toThrow(
      'the setup could not be run: its box ended before the exit of the command was known',
    )
    const request = { start: 'true', refusedPorts: [], url: 'http://127.0.0.1:1/', timeoutMs: 1_000, maxBodyBytes: 10 }
    expect(await probeServer(workspace, request)).toEqual({ answer: null, boxed: true })
  })

  it('comes after all processes were reaped that lost their parent', async () => {
    const workspace = await prepare()
    // A program that waits for another one to end asks whether its process still exists.
    const orphan = `sh -c 'sleep 0.2 & echo $! > orphan'; pid=$(cat orphan)
      i=0; while kill -0 $pid 2>/dev/null; do i=$((i+1)); [ $i -lt 100 ] || { echo zombie; exit 1; }; sleep 0.1; done
      cat /proc/[0-9]*/stat | grep -c ' Z '`
    expect(await workspace.run(orphan, limits)).toMatchObject({ exitCode: 1, output: '0\n' })
  })

  it('does not wait for zombies, which are no processes of the box either', async () => {
    const workspace = await prepare()
    // Its shell becomes a program that never waits.
    const inside = await start(workspace, 'for i in 1 2 3 4 5; do true & done; echo ready; exec sleep 60')
    await vi.waitUntil(() => inside.output().includes('ready'), { timeout: 15_000 })
    await vi.waitUntil(() => processesOf(inside.pid, true).others.length === 1, { timeout: 15_000 })
    inside.signal('SIGTERM')
    expect(await inside.ended()).toMatchObject({ exitCode: null, signal: 'SIGTERM' })
  })

  it.skipIf(!hasPython)('holds without the filter too: init is closed by two other locks', async () => {
    const program = join(base, 'bwrap')
    const drop =
      'for word do shift; case $word in --seccomp) skip=1 ;; *) [ -n "$skip" ] || set -- "$@" "$word"; skip= ;; esac; done'
    await writeFile(program, `#!/bin/sh\n${drop}\nexec ${boxHere.ok ? boxHere.program : ''} "$@"\n`, { mode: 0o755 })
    const workspace = await prepare({ program })
    expect(await workspace.run('grep ^Seccomp: /proc/self/status', limits)).toMatchObject({ output: 'Seccomp:\t0\n' })
    const reaching = reachAttacks.filter(({ name }) => name.includes('the process that reports its exit'))
    expect(reaching.length).toBeGreaterThan(6)
    for (const { name, script } of reaching) {
      const { output } = await workspace.run(script({} as Fixture, true), limits)
      expect(output, name).not.toContain('BREACHED')
    }
  })
})
