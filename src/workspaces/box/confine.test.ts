// @suite process

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { findGroups } from './cgroups.ts'
import { createConfiner, maxTasksOf, ownUse, scopeCommand, scopePathIn } from './confine.ts'

let base: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'agency-groups-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
})

const limits = { maxProcesses: 10, maxMemoryMb: 100, maxDiskMb: 50 }
const groupsHere = await findGroups('confine.test')

describe.skipIf(groupsHere === null)('a control group of this machine', () => {
  it('limits the memory of a command that starts in it, and counts it', async () => {
    const { confine } = await createConfiner(base)
    const confinement = confine(limits, ownUse(false))
    onTestFinished(confinement.leave)
    const [program, ...args] = confinement.wrap(['perl', '-e', 'print "x" x 200_000_000'])
    expect(() => execFileSync(program, args, { stdio: 'ignore' })).toThrow('Command failed')
    const figures = confinement.figures?.(0)
    expect(figures?.kills()).toBe(1)
    expect(figures?.peakMb()).toBeGreaterThan(90)
    expect(figures?.refusals()).toBe(0)
  })

  it('refuses another process at the limit, and says so', async () => {
    const { confine } = await createConfiner(base)
    const confinement = confine(limits, ownUse(false))
    onTestFinished(confinement.leave)
    const code = 'for (1 .. 1_000) { my $p = fork; last if !defined $p; if (!$p) { sleep 1; exit } $n = $_ } print $n'
    const [program, ...args] = confinement.wrap(['perl', '-e', code])
    const forked = Number(execFileSync(program, args, { encoding: 'utf8' }))
    expect(forked).toBeLessThanOrEqual(maxTasksOf(limits) + ownUse(false).tasks)
    expect(confinement.figures?.(0)?.refusals()).toBeGreaterThan(0)
  })

  it('is removed with its processes by the next daemon of the same home', async () => {
    const { confine } = await createConfiner(base)
    const left = confine(limits, ownUse(false))
    const [program, ...args] = left.wrap(['sleep', '60'])
    const sleeping = spawn(program, args, { stdio: 'ignore' })
    const exited = once(sleeping, 'exit')
    while (left.figures?.(0)?.tasks() === 0) await new Promise(setImmediate)
    await createConfiner(join(base, 'other'))
    expect(left.figures?.(0)?.tasks()).toBe(1)
    await createConfiner(base)
    expect((await exited)[1]).toBe('SIGKILL')
    expect(left.figures?.(0)?.processes()).toEqual([])
  })
})

it('gives a command the limits that need no rights', async () => {
  const { confine } = await createConfiner(base)
  const confinement = confine(limits, ownUse(false))
  onTestFinished(confinement.leave)
  const [program, ...args] = confinement.wrap(['sh', '-c', 'cat /proc/self/oom_score_adj; ulimit -c; ulimit -f'])
  expect(execFileSync(program, args, { encoding: 'utf8' })).toBe(`1000\n0\n${51 * 2_048}\n`)
})

/** Version 2 is unlikely to have its controllers where version 1 has them: its files are only imitated. */
it('creates groups of version 2 beside a process whose own group cannot be divided', async () => {
  const group = join(base, 'sys/fs/cgroup/user.slice/app.slice')
  mkdirSync(join(group, 'daemon.scope'), { recursive: true })
  mkdirSync(join(base, 'proc/self'), { recursive: true })
  writeFileSync(join(base, 'proc/self/cgroup'), '0::/user.slice/app.slice/daemon.scope\n')
  writeFileSync(join(base, 'proc/self/mountinfo'), '31 23 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n')
  expect(await findGroups('home', base)).toBeNull()
  writeFileSync(join(group, 'cgroup.subtree_control'), 'cpu memory pids\n')
  const groups = await findGroups('home', base)
  expect(groups?.version).toBe(2)
  const made = groups?.create({ memoryMb: 100, tasks: 7 })
  const directory = join(made?.entrances[0] ?? '', '..')
  expect(directory.startsWith(join(group, 'agency-'))).toBe(true)
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8')
  expect([read('memory.max'), read('pids.max')]).toEqual([String(100 * 1024 * 1024), '7'])
  writeFileSync(join(directory, 'memory.peak'), String(80 * 1024 * 1024))
  writeFileSync(join(directory, 'memory.stat'), `anon 5\nfile ${30 * 1024 * 1024}\n`)
  writeFileSync(join(directory, 'memory.events'), 'low 0\nmax 4\noom 2\noom_kill 1\n')
  writeFileSync(join(directory, 'pids.events'), 'max 3\n')
  expect([made?.peakMb(), made?.kills(), made?.refusals()]).toEqual([50, 1, 3])
  // The machine ran out of memory, not the group.
  writeFileSync(join(directory, 'memory.events'), 'low 0\nmax 0\noom 0\noom_kill 1\n')
  expect(made?.kills()).toBe(0)
})

it('asks the service manager of a user for a scope with the limits', () => {
  expect(scopeCommand('agency-1', { memoryMb: 300, tasks: 90 }, ['sh', '-c', 'true'])).toEqual([
    'systemd-run',
    '--user',
    '--scope',
    '--quiet',
    '--collect',
    '--unit=agency-1',
    '--property=MemoryMax=300M',
    '--property=MemorySwapMax=0',
    '--property=TasksMax=90',
    '--',
    'sh',
    '-c',
    'true',
  ])
  const path = '/user.slice/user-1000.slice/user@1000.service/app.slice/agency-1.scope'
  expect(scopePathIn(`0::${path}\n`, 'agency-1')).toBe(path)
  expect(scopePathIn('0::/user.slice/session-3.scope\n', 'agency-1')).toBeNull()
})
