import { execFileSync } from 'node:child_process'
import { closeSync, globSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startDaemon } from '../../src/daemon/start.ts'
import { operatorPersona } from '../../src/kernel/ids.ts'
import { CreateRun } from '../../src/work/runs/contract.ts'
import { boxArguments, filterFd } from '../../src/workspaces/box/arguments.ts'
import { detectBox } from '../../src/workspaces/box/detect.ts'
import { writeEtcFiles } from '../../src/workspaces/box/etc-files.ts'
import { filterProgram, machineHere } from '../../src/workspaces/box/filter.ts'
import { systemArguments } from '../../src/workspaces/box/system.ts'
import { defaultPolicy } from '../../src/workspaces/policy.ts'

export interface Claims {
  readonly whyNot: string | null
  /** Milliseconds from the claim of a brief to the first byte of its agent. */
  readonly ours: number[]
  /** Milliseconds of an empty box and a clone, created by hand. */
  readonly bare: number[]
}

/** Runs as a bundle, like the product: a whole daemon, a repository, and an agent that prints the time. */
const folder = mkdtempSync(join(tmpdir(), 'agency-claim-'))
const found = await detectBox({ directory: join(folder, 'try') })
const claims: Claims = { whyNot: found.ok ? null : found.reason, ours: [], bare: [] }
if (found.ok) await measure(found.program, Number(process.argv[2]))
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify(claims))
process.exit(0)

async function measure(program: string, times: number): Promise<void> {
  const repository = makeRepository(join(folder, 'repository'))
  const args = await boxArgumentsOf(join(folder, 'bare'))
  const seen = new Set<string>()
  let claimedMs = 0
  let ended = (): void => {}
  const daemon = await startDaemon({
    env: { PATH: process.env['PATH'], HOME: folder, AGENCY_HOME: join(folder, 'home'), AGENCY_LOG_LEVEL: 'error' },
    flags: { port: '0' },
    web: null,
    chaosPoint: (point) => {
      if (point === 'brief.claimed') claimedMs = performance.timeOrigin + performance.now()
      if (point === 'run.ended') ended()
    },
  })
  for (let turn = 0; turn <= times; turn += 1) {
    const end = new Promise<void>((resolve) => (ended = resolve))
    const { id } = await daemon.agency.runs.create({ kind: 'operator', personaId: operatorPersona }, runOf(repository))
    await end
    const ours = firstByteMs(id) - claimedMs
    const beganMs = performance.now()
    startBare(program, args)
    execFileSync('git', ['clone', '--quiet', '--shared', repository, join(folder, 'clones', String(turn))])
    // The first turn only warms up.
    if (turn === 0) continue
    claims.ours.push(ours)
    claims.bare.push(performance.now() - beganMs)
  }
  await daemon.stop()

  function firstByteMs(runId: string): number {
    const [log = ''] = globSync(join(folder, 'home/attempts/*/output.log')).filter((path) => !seen.has(path))
    seen.add(log)
    const text = readFileSync(log, 'utf8')
    const nanoseconds = /^(\d{19})$/m.exec(text)?.[1]
    if (nanoseconds === undefined) throw new Error(`the agent of run ${runId} did not print the time: ${text}`)
    return Number(nanoseconds) / 1e6
  }
}

/** Bubblewrap reads the filter of system calls from its own descriptor. */
function startBare(program: string, args: readonly string[]): void {
  const filter = openSync(join(folder, 'filter'), 'r')
  const stdio: (number | 'ignore' | 'inherit')[] = ['ignore', 'ignore', 'inherit', 'ignore']
  stdio[filterFd] = filter
  execFileSync(program, [...args, '--', 'true'], { stdio })
  closeSync(filter)
}

function runOf(repo: string): CreateRun {
  return CreateRun.parse({
    goal: 'Print the time',
    runtime: 'program',
    repo,
    verify: 'none',
    onLimit: 'fail',
    crashRetries: 0,
    retryBudget: 0,
    runtimeOptions: { command: ['date', '+%s%N'] },
  })
}

function makeRepository(path: string): string {
  mkdirSync(path)
  for (let index = 0; index < 100; index += 1) writeFileSync(join(path, `file-${index}.txt`), `${index}\n`.repeat(50))
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: path })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--message', 'all')
  return path
}

async function boxArgumentsOf(place: string): Promise<string[]> {
  const [path, home, etcFiles] = [join(place, 'workspace'), join(place, 'home'), join(place, 'etc')]
  for (const each of [join(path, '.agency/outbox'), home]) mkdirSync(each, { recursive: true })
  await writeEtcFiles(etcFiles)
  writeFileSync(join(folder, 'filter'), filterProgram(machineHere() ?? 'x64'))
  const request = { path, home, readable: [], limits: defaultPolicy('program').limits, sockets: null }
  return boxArguments(request, { system: systemArguments(), etcFiles, closed: [] })
}
