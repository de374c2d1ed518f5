import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'

import { systemClock } from '../../src/kernel/clock.ts'
import { createBox } from '../../src/workspaces/box/box.ts'
import { detectBox } from '../../src/workspaces/box/detect.ts'
import { createDirectoryWorkspaces } from '../../src/workspaces/directory.ts'
import type { CommandResult, WorkspacePolicy } from '../../src/workspaces/port.ts'

/** What an attack is about: things of the machine that an agent must not touch, made for one attack alone. */
export interface Fixture {
  readonly workspace: string
  readonly outside: string
  readonly scratch: string
  readonly sockets: Readonly<Record<'tmux' | 'docker' | 'dbus' | 'abstract' | 'otherAttempt', string>>
  readonly port: number
  readonly victim: { readonly pid: number; readonly word: string; isDead(): boolean }
}

/**
 * What an agent could try. The same script runs twice: without a box, where it must succeed (or it would prove nothing),
 * and in one, where it must not. A script that gets what it wants says BREACHED, or leaves a trace outside.
 */
export interface Attack {
  readonly name: string
  readonly script: (scene: Fixture, boxed: boolean) => string
  /** What is seen of its success outside; without it, its word counts. */
  readonly trace?: (scene: Fixture) => boolean
  /** Why it cannot be tried here, or null. */
  readonly skip?: () => string | null
}

export interface Outcome {
  readonly breached: boolean
  readonly result: CommandResult
}

/** Small enough that no control harms the machine, large enough for the scripts themselves. */
const policy: WorkspacePolicy = {
  network: { allowed: true, allow: [], block: [] },
  limits: { maxProcesses: 20, maxMemoryMb: 200, maxDiskMb: 60 },
}

/** Plays one attack, in a box or without, and says whether it got what it wanted. */
export async function runAttack({ script, trace }: Attack, boxed: boolean): Promise<Outcome> {
  const undo: (() => void)[] = []
  try {
    // Not under /tmp, which a box has for itself: what it cannot see, it must not see by its walls.
    const base = realpathSync(mkdtempSync('/var/tmp/agency-attack-'))
    undo.push(() => rmSync(base, { recursive: true, force: true }))
    const place = { id: 'brf_1', runId: 'run_1', attemptId: `att_attack_${process.pid}_${base.slice(-6)}` }
    const box = boxed ? { box: await boxBelow(base) } : {}
    const workspaces = createDirectoryWorkspaces({ root: join(base, 'workspaces'), ...box })
    const workspace = await workspaces.prepare({ ...place, box: boxed, policy })
    await workspace.write('.agency/mission.json', '{}')
    const scene = await createFixture(base, workspace.path, undo)
    // A box that lets nothing run would withstand everything.
    const lively = `echo alive > alive\n${script(scene, boxed)}`
    const result = await workspace.run(lively, { timeoutMs: 30_000, maxOutputBytes: 20_000 })
    if (result.boxed !== boxed) throw new Error(`it was ${result.boxed ? '' : 'not '}boxed: ${result.output}`)
    if (!existsSync(join(workspace.path, 'alive'))) throw new Error(`it did not run: ${result.output}`)
    return { breached: trace?.(scene) ?? /^BREACHED/m.test(result.output), result }
  } finally {
    for (const step of undo.reverse()) step()
  }
}

async function boxBelow(base: string) {
  const found = await detectBox({ directory: join(base, 'boxes') })
  if (!found.ok) throw new Error(found.reason)
  return createBox({
    program: found.program,
    directory: join(base, 'boxes'),
    socket: null,
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

/** Greets whoever comes, as nobody of a box should hear it. */
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
  // What it is, /proc says at once; that it was killed, only its exit: a zombie has a number too.
  const isDead = (): boolean => child.signalCode !== null
  return { pid: child.pid as number, word, isDead, child }
}
