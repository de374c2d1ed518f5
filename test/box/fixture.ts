import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'

import { systemClock } from '../../src/kernel/clock.ts'
import { createBox } from '../../src/workspaces/box/box.ts'
import { detectBox } from '../../src/workspaces/box/detect.ts'
import { createDirectoryWorkspaces } from '../../src/workspaces/directory.ts'
import type { CommandResult, WorkspacePolicy } from '../../src/workspaces/port.ts'

/** The targets of an attack: resources of the machine that an agent must not touch, created for one attack. */
export interface Fixture {
  readonly workspace: string
  readonly outside: string
  readonly scratch: string
  readonly sockets: Readonly<Record<'tmux' | 'docker' | 'dbus' | 'abstract' | 'otherAttempt', string>>
  readonly port: number
  readonly victim: { readonly pid: number; readonly word: string; isDead(): boolean }
}

/**
 * An attack that an agent could try. The same script runs twice: without a box, where it must succeed (or it would prove
 * nothing), and in one, where it must fail. A successful script prints BREACHED, or leaves a trace outside.
 */
export interface Attack {
  readonly name: string
  readonly script: (fixture: Fixture, boxed: boolean) => string
  /** Checks its success from outside; without it, its output counts. */
  readonly trace?: (fixture: Fixture) => boolean
  /** Returns why it cannot run here, or null. */
  readonly skip?: () => string | null
}

export interface Outcome {
  readonly breached: boolean
  readonly result: CommandResult
}

/** Limits small enough that no run without a box harms the machine, and large enough for the scripts themselves. */
const policy: WorkspacePolicy = {
  network: { allowed: true, allow: [], block: [] },
  limits: { maxProcesses: 20, maxMemoryMb: 200, maxDiskMb: 60 },
}

/** Runs one attack, in a box or without, and reports whether it succeeded. */
export async function runAttack({ script, trace }: Attack, boxed: boolean): Promise<Outcome> {
  const undo: (() => void)[] = []
  try {
    // Not under /tmp, which every box has of its own: a target must be hidden by the box's mounts, not by chance.
    const base = realpathSync(mkdtempSync('/var/tmp/agency-attack-'))
    undo.push(() => rmSync(base, { recursive: true, force: true }))
    const request = { id: 'brf_1', runId: 'run_1', attemptId: `att_attack_${process.pid}_${base.slice(-6)}` }
    const box = boxed ? { box: await boxBelow(base) } : {}
    const workspaces = createDirectoryWorkspaces({ root: join(base, 'workspaces'), ...box })
    const workspace = await workspaces.prepare({ ...request, box: boxed, policy })
    await workspace.write('.agency/mission.json', '{}')
    const fixture = await createFixture(base, workspace.path, undo)
    // A box in which nothing can run would withstand every attack.
    const probed = `echo alive > alive\n${script(fixture, boxed)}`
    const result = await workspace.run(probed, { timeoutMs: 30_000, maxOutputBytes: 20_000 })
    if (result.boxed !== boxed) throw new Error(`it was ${result.boxed ? '' : 'not '}boxed: ${result.output}`)
    if (!existsSync(join(workspace.path, 'alive'))) throw new Error(`it did not run: ${result.output}`)
    return { breached: trace?.(fixture) ?? /^BREACHED/m.test(result.output), result }
  } finally {
    for (const step of undo.reverse()) step()
  }
}

async function boxBelow(base: string) {
  const detected = await detectBox({ directory: join(base, 'boxes') })
  if (!detected.ok) throw new Error(detected.reason)
  return createBox({
    program: detected.program,
    directory: join(base, 'boxes'),
    connect: null,
    closed: [],
    clock: systemClock,
  })
}

async function createFixture(base: string, workspace: string, undo: (() => void)[]): Promise<Fixture> {
  const [outside, scratch] = [join(base, 'outside'), join(base, 'scratch')]
  for (const path of [outside, scratch]) mkdirSync(path)
  writeFileSync(join(outside, 'secret'), 'secret\n')
  const temporary = mkdtempSync('/tmp/agency-attack-')
  const runtime = mkdtempSync(
    existsSync('/run/user') && process.getuid?.() === 0 ? '/run/agency-attack-' : '/var/tmp/run-',
  )
  undo.push(() => void [temporary, runtime].map((path) => rmSync(path, { recursive: true, force: true })))
  mkdirSync(join(base, 'boxes', 'bOther'), { recursive: true })
  const sockets = {
    tmux: join(temporary, 'tmux'),
    docker: join(runtime, 'docker.sock'),
    dbus: join(runtime, 'bus'),
    abstract: `\0agency-attack-${process.pid}-${base.slice(-6)}`,
    otherAttempt: join(base, 'boxes', 'bOther', 'agency.sock'),
  }
  for (const path of Object.values(sockets)) undo.push(closing(await listening(path)))
  const server = await listening(0)
  undo.push(closing(server))
  const victim = createVictim()
  undo.push(() => void victim.child.kill('SIGKILL'))
  return { workspace, outside, scratch, sockets, port: (server.address() as AddressInfo).port, victim }
}

/** Sends a greeting to every client; no process in a box may receive it. */
const listening = (where: string | number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => void socket.on('error', () => {}).end('secret\n'))
    server.once('error', reject)
    if (typeof where === 'number') server.listen(where, '0.0.0.0', () => resolve(server))
    else server.listen(where, () => resolve(server))
  })

const closing = (server: Server) => (): void => void server.close()

function createVictim() {
  const word = `word${process.pid}`
  const child: ChildProcess = spawn('sleep', ['60'], { env: { VICTIM: word, PATH: process.env['PATH'] ?? '' } })
  // Only its exit shows that it was killed: /proc still lists the pid of a zombie.
  const isDead = (): boolean => child.signalCode !== null
  return { pid: child.pid as number, word, isDead, child }
}
