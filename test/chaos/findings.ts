import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Wire } from '../../src/cli/wire.ts'
import type { Event } from '../../src/events/contract.ts'
import type { Artifact } from '../../src/work/artifacts/contract.ts'
import type { Attempt } from '../../src/work/attempts/contract.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import type { Check } from '../../src/work/evidence/contract.ts'
import type { Gate } from '../../src/work/gates/contract.ts'
import type { Mission } from '../../src/work/missions/contract.ts'
import type { Question } from '../../src/work/questions/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import type { Verdict } from '../../src/work/verdicts/contract.ts'
import type { Installation } from './installation.ts'
import { processesOf } from './processes.ts'
import { landed } from './repositories.ts'
import type { ExpectedBrief, RunKind } from './runs.ts'

/** A requested run with its idempotency key and the id in the answer. */
export interface AskedRun {
  readonly kind: RunKind
  readonly key: string
  readonly body: Record<string, unknown>
  readonly id: string
  /** The operator's repository in which the work lands. */
  readonly repository: string | null
}

/** Number of killed processes while the runs were under way. */
export interface Deaths {
  readonly daemons: number
  readonly agents: number
}

interface Inspected {
  run: Wire<Run>
  briefs: Wire<Brief>[]
  attempts: Wire<Attempt>[]
  evidence: Wire<Check>[]
  artifacts: Wire<Artifact>[]
  gates: Wire<Gate>[]
  questions: Wire<Question>[]
  verdicts: Wire<Verdict>[]
  events: Wire<Event>[]
}

/** Returns one sentence for everything that differs from runs without a death. The daemon must be running. */
export async function findInRuns(
  installation: Installation,
  asked: readonly AskedRun[],
  deaths: Deaths,
): Promise<string[]> {
  const { client } = installation
  const findings: string[] = []
  const stored = (await installation.query('SELECT id FROM runs')).map((row) => row['id'] as string)
  const known = new Set(asked.map((run) => run.id))
  if (known.size !== asked.length) findings.push('two keys were answered with the same run')
  for (const id of stored) if (!known.has(id)) findings.push(`${id}: was not requested, or was created twice`)
  for (const each of asked) {
    const report = (text: string): void => void findings.push(`${each.kind.name} ${each.id}: ${text}`)
    const again = await client.send<Wire<Run>>('POST', '/runs', { key: each.key, body: each.body })
    if (again.id !== each.id) report(`requested again with its key, it is ${again.id}`)
    const inspected = await client.send<Inspected>('GET', `/runs/${each.id}/inspect?events=1000`)
    const mission = await client.send<Wire<Mission>>('GET', `/missions/${inspected.run.mission_id}`)
    findInRun(each.kind, inspected, mission, report)
    for (const brief of inspected.briefs) {
      const wanted = each.kind.briefs[brief.key]
      const reportOf = (text: string): void => report(`${brief.key}: ${text}`)
      if (brief.kind !== 'work') findInDuty(inspected, brief, deaths, reportOf)
      else if (wanted === undefined) reportOf('was not requested')
      else findInBrief(installation, each, inspected, brief, wanted, deaths, reportOf)
    }
  }
  return findings
}

/** Checks after the daemon's end that no process is left running and that the store is sound. */
export async function findLeftBehind(installation: Installation): Promise<string[]> {
  const left = processesOf(installation.home).map(({ pid, command }) => `left running: ${pid} ${command}`)
  const { code, output } = await installation.agency('doctor', '--audit', '--replay', '--json')
  const { checks } = JSON.parse(output) as { checks: { name: string; status: string; detail: string }[] }
  const looked = checks.filter(({ name }) => name === 'audit' || name === 'replay')
  if (looked.length !== 2) left.push(`doctor did not audit and replay: ${output}`)
  for (const { name, status, detail } of looked) if (status !== 'ok') left.push(`${name}: ${detail}`)
  if (code !== 0) left.push(`doctor ended with ${code}: ${output}`)
  return [...left, ...(await findInJobs(installation))]
}

/**
 * Checks the jobs: one hourly job of the daemon and reminders of gates, none of which failed, is claimed or is due. Only a
 * notification may be due: written in the daemon's last moment, it is left to the next daemon.
 */
async function findInJobs(installation: Installation): Promise<string[]> {
  const jobs = await installation.query('SELECT kind, status, tries, claimed_by, due_at, created_at FROM jobs')
  const isSound = (job: Record<string, unknown>): boolean =>
    job['status'] === 'waiting' &&
    Number(job['tries']) === 0 &&
    job['claimed_by'] === null &&
    (job['kind'] === 'notify' || (job['due_at'] as string) > (job['created_at'] as string))
  const hourly = jobs.filter((job) => job['kind'] === 'housekeeping')
  const faulty = jobs.filter((job) => !isSound(job))
  return hourly.length === 1 && faulty.length === 0 ? [] : [`jobs: ${JSON.stringify([...hourly, ...faulty])}`]
}

type Report = (text: string) => void

function findInRun(
  kind: RunKind,
  { run, briefs, attempts, gates, questions, events }: Inspected,
  mission: Wire<Mission>,
  report: Report,
): void {
  if (run.status !== 'done') report(`is ${run.status}: ${run.summary}`)
  if (mission.status !== 'done') report(`its mission is ${mission.status}`)
  const count = Object.keys(kind.briefs).length
  const asked = briefs.filter((brief) => brief.kind === 'work').length
  if (asked !== count) report(`has ${asked} briefs, not ${count}`)
  const opened = gates.map(({ gate, status }) => `${gate} ${status}`).join(', ')
  if (opened !== kind.gates.map((gate) => `${gate} approved`).join(', ')) report(`its gates are ${opened}`)
  const blocked = attempts.filter(({ outcome }) => outcome === 'blocked').length
  const answered = questions.filter(({ status }) => status === 'answered').length
  if (questions.length !== blocked || answered !== blocked)
    report(`asked ${blocked} times, has ${questions.length} questions, ${answered} of them answered`)
  const byOperator = questions.filter(({ answered_by: by }) => by === 'operator').length
  if (byOperator !== (kind.hasLead === true ? 0 : blocked))
    report(`the operator answered ${byOperator} of its questions`)
  if (run.briefs_done !== count || run.briefs_open !== 0 || run.briefs_failed !== 0 || run.briefs_total !== count)
    report(
      `counts ${run.briefs_done} done, ${run.briefs_open} open, ${run.briefs_failed} failed of ${run.briefs_total}`,
    )
  const ends = events.filter((event) => event.kind === 'run_status' && event.data['to'] === 'done')
  if (ends.length !== 1) report(`ended ${ends.length} times`)
  const spent = attempts.reduce((sum, attempt) => sum + attempt.input_tokens, 0)
  if (spent !== run.input_tokens) report(`its attempts used ${spent} input tokens, but it counts ${run.input_tokens}`)
}

function findInBrief(
  { home }: Installation,
  { repository }: AskedRun,
  inspected: Inspected,
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  deaths: Deaths,
  report: Report,
): void {
  const attempts = inspected.attempts.filter((attempt) => attempt.brief_id === brief.id)
  const events = inspected.events.filter((event) => event.brief_id === brief.id)
  const history = attempts.map((attempt) => `${attempt.fence} ${attempt.outcome ?? attempt.status}`).join(', ')
  if (brief.status !== 'done') report(`is ${brief.status} after ${history}`)
  if (attempts.some((attempt, index) => attempt.fence !== index + 1)) report(`its fences are not 1, 2, 3 …: ${history}`)
  if (attempts.at(-1)?.outcome !== 'ok') report(`was not accepted at last: ${history}`)
  findVerdicts(inspected, brief, wanted, attempts, (text) => report(`${text}: ${history}`))
  for (const kind of ['completed', 'session_complete'] as const) {
    const times = events.filter((event) => event.kind === kind).length
    if (times !== 1) report(`${kind} ${times} times`)
  }
  findOutcomes(attempts, brief, wanted, deaths, (text) => report(`${text}: ${history}`))
  findOverlap(events, report)
  findTooEarly(inspected, brief, wanted, report)
  findOutputs(inspected, attempts.at(-1), brief, wanted, report)
  if (repository === null) findInWorkspace(join(home, 'workspaces', brief.run_id, brief.id), wanted, report)
  else findInRepository(repository, wanted, report)
}

/**
 * Without a verifier, one attempt is accepted. With one, each successful attempt has one verdict, and the last passed.
 */
function findVerdicts(
  { briefs, verdicts }: Inspected,
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  attempts: readonly Wire<Attempt>[],
  report: Report,
): void {
  const ended = attempts.filter(({ outcome }) => outcome === 'ok').map(({ fence }) => fence)
  const judged = verdicts.filter((verdict) => verdict.brief_id === brief.id)
  const failed = judged.filter(({ verdict }) => verdict !== 'pass').length
  if (brief.verification_failures !== failed) report(`counts ${brief.verification_failures} failed verifications`)
  if (!wanted.judged) {
    if (ended.length !== 1 || judged.length > 0)
      report(`succeeded ${ended.length} times, has ${judged.length} verdicts`)
    return
  }
  if (judged.map(({ attempt }) => attempt).join() !== ended.join()) report('has not one verdict per successful attempt')
  if (failed !== judged.length - 1 || judged.at(-1)?.verdict !== 'pass')
    report(`${failed} of its verdicts are not pass`)
  const verifiers = briefs.filter(({ verifies }) => verifies === brief.id).map((each) => each.verifies_attempt)
  if (verifiers.join() !== ended.join()) report(`has verifiers for its attempts ${verifiers.join()}`)
}

/** Checks a planner or a verifier: it succeeds once, regardless of deaths. */
function findInDuty({ attempts, events }: Inspected, brief: Wire<Brief>, deaths: Deaths, report: Report): void {
  const own = attempts.filter((attempt) => attempt.brief_id === brief.id)
  const history = own.map((attempt) => `${attempt.fence} ${attempt.outcome ?? attempt.status}`).join(', ')
  if (brief.status !== 'done') report(`is ${brief.status} after ${history}`)
  if (own.filter(({ outcome }) => outcome === 'ok').length !== 1 || own.at(-1)?.outcome !== 'ok')
    report(`did not succeed exactly once, in its last attempt: ${history}`)
  const strange = own.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'interrupted')
  if (strange.length > 0 && !(deaths.agents > 0 && strange.every(({ outcome }) => outcome === 'crash')))
    report(`has an outcome without a cause: ${history} (${strange.map(({ detail }) => detail).join('; ')})`)
  findOverlap(
    events.filter((event) => event.brief_id === brief.id),
    report,
  )
}

/** Checks that only the agent's own failures count against limits, and deaths of the daemon do not. */
function findOutcomes(
  attempts: readonly Wire<Attempt>[],
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  deaths: Deaths,
  report: Report,
): void {
  const of = (...outcomes: string[]) => attempts.filter(({ outcome }) => outcomes.includes(outcome ?? ''))
  const strange = attempts.filter(
    ({ outcome, fence }) => outcome !== 'ok' && outcome !== 'interrupted' && !(fence === 1 && outcome === wanted.first),
  )
  // An agent that the test killed has crashed.
  if (strange.length > 0 && !(deaths.agents > 0 && strange.every(({ outcome }) => outcome === 'crash')))
    report(`has an outcome without a cause (${strange.map(({ detail }) => detail).join('; ')})`)
  if (of('interrupted').length > deaths.daemons)
    report(`interrupted more often than the daemon died (${deaths.daemons})`)
  if (brief.retries_used !== of('bad_output').length) report(`counts ${brief.retries_used} used retries`)
  if (brief.crash_retries !== of('crash', 'timeout').length) report(`counts ${brief.crash_retries} crashes`)
  if (brief.interruptions !== 0) report(`still counts ${brief.interruptions} interruptions in a row`)
}

/** Checks that each attempt ends before the next begins. */
function findOverlap(events: readonly Wire<Event>[], report: Report): void {
  let live: string | null = null
  for (const { kind, attempt_id: id } of events) {
    if (kind === 'assigned') {
      if (live !== null) report(`${id} began while ${live} was live`)
      live = id
    } else if (kind === 'turn_ended') {
      if (live !== id) report(`${id} ended, live was ${live}`)
      live = null
    }
  }
}

function findTooEarly({ briefs, events }: Inspected, brief: Wire<Brief>, wanted: ExpectedBrief, report: Report): void {
  const began = events.find((event) => event.kind === 'assigned' && event.brief_id === brief.id)?.seq ?? 0
  for (const key of wanted.after) {
    const before = briefs.find((each) => each.key === key)?.id
    const done = events.find((event) => event.kind === 'completed' && event.brief_id === before)?.seq ?? Infinity
    if (began < done) report(`began before ${key} was verified`)
  }
}

function findOutputs(
  { evidence, artifacts }: Inspected,
  accepted: Wire<Attempt> | undefined,
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  report: Report,
): void {
  const checks = evidence.filter((check) => check.attempt_id === accepted?.id)
  if (checks.length !== wanted.evidence || checks.some((check) => !check.passed))
    report(
      `accepted with ${checks.filter((check) => check.passed).length} of ${checks.length} checks, ${wanted.evidence} required`,
    )
  for (const [path, text] of Object.entries(wanted.outputs)) {
    const versions = artifacts.filter((artifact) => artifact.brief_id === brief.id && artifact.name === path)
    const sha256 = createHash('sha256').update(text).digest('hex')
    if (versions.at(-1)?.sha256 !== sha256) report(`its artifact ${path} has the wrong content`)
    if (versions.some((artifact, index) => artifact.version !== index + 1)) report(`versions of ${path} are missing`)
    if (new Set(versions.map((artifact) => artifact.sha256)).size !== versions.length)
      report(`${path} was recorded twice`)
  }
}

function findInWorkspace(workspace: string, { outputs }: ExpectedBrief, report: Report): void {
  if (existsSync(join(workspace, 'overlap'))) report('two agents worked at the same time')
  for (const [path, text] of Object.entries(outputs))
    if (!existsSync(join(workspace, path)) || readFileSync(join(workspace, path), 'utf8') !== text)
      report(`${path} in its workspace has the wrong content`)
}

function findInRepository(repository: string, { outputs }: ExpectedBrief, report: Report): void {
  if (landed(repository, 'overlap').commits > 0) report('two agents worked at the same time')
  for (const [path, text] of Object.entries(outputs)) {
    const { content, commits } = landed(repository, path)
    if (content !== text) report(`${path} in its repository has the wrong content`)
    if (commits !== 1) report(`${path} was committed ${commits} times`)
  }
}
