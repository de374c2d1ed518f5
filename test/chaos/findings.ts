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
import type { ExpectedBrief, RunKind } from './runs.ts'

/** A run that somebody asked for, under which key, and which one he was told it is. */
export interface AskedRun {
  readonly kind: RunKind
  readonly key: string
  readonly id: string
}

/** What was killed while they ran. */
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

/** Everything that is not as if nobody had died; one sentence each. Asks the daemon, which must be there. */
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
  for (const id of stored) if (!known.has(id)) findings.push(`${id}: nobody asked for it, or it was made twice`)
  for (const each of asked) {
    const say = (text: string): void => void findings.push(`${each.kind.name} ${each.id}: ${text}`)
    const again = await client.send<Wire<Run>>('POST', '/runs', { key: each.key, body: each.kind.input })
    if (again.id !== each.id) say(`asked for again with its key, it is ${again.id}`)
    const inspected = await client.send<Inspected>('GET', `/runs/${each.id}/inspect?events=1000`)
    const mission = await client.send<Wire<Mission>>('GET', `/missions/${inspected.run.mission_id}`)
    findInRun(each.kind, inspected, mission, say)
    for (const brief of inspected.briefs) {
      const wanted = each.kind.briefs[brief.key]
      const sayOf = (text: string): void => say(`${brief.key}: ${text}`)
      if (brief.kind !== 'work') findInDuty(inspected, brief, deaths, sayOf)
      else if (wanted === undefined) sayOf('nobody asked for it')
      else findInBrief(installation, inspected, brief, wanted, deaths, sayOf)
    }
  }
  return findings
}

/** With the daemon gone: nothing of it may be left running, and the store must be whole. */
export async function findLeftBehind(installation: Installation): Promise<string[]> {
  const left = processesOf(installation.home).map(({ pid, command }) => `left running: ${pid} ${command}`)
  const { code, said } = await installation.agency('doctor', '--audit', '--replay', '--json')
  const { checks } = JSON.parse(said) as { checks: { name: string; status: string; detail: string }[] }
  const looked = checks.filter(({ name }) => name === 'audit' || name === 'replay')
  if (looked.length !== 2) left.push(`doctor did not audit and replay: ${said}`)
  for (const { name, status, detail } of looked) if (status !== 'ok') left.push(`${name}: ${detail}`)
  if (code !== 0) left.push(`doctor ended with ${code}: ${said}`)
  return [...left, ...(await findInJobs(installation))]
}

/**
 * The hourly job of the daemon, once, and reminders of gates: none ever failed, nobody holds one, each is still to come.
 * Only what people are told may be due: written in the daemon's last moment, it is for the next one.
 */
async function findInJobs(installation: Installation): Promise<string[]> {
  const jobs = await installation.query('SELECT kind, status, tries, claimed_by, due_at, created_at FROM jobs')
  const isWell = (job: Record<string, unknown>): boolean =>
    job['status'] === 'waiting' &&
    Number(job['tries']) === 0 &&
    job['claimed_by'] === null &&
    (job['kind'] === 'notify' || (job['due_at'] as string) > (job['created_at'] as string))
  const hourly = jobs.filter((job) => job['kind'] === 'housekeeping')
  const ill = jobs.filter((job) => !isWell(job))
  return hourly.length === 1 && ill.length === 0 ? [] : [`jobs: ${JSON.stringify([...hourly, ...ill])}`]
}

type Say = (text: string) => void

function findInRun(
  kind: RunKind,
  { run, briefs, attempts, gates, questions, events }: Inspected,
  mission: Wire<Mission>,
  say: Say,
): void {
  if (run.status !== 'done') say(`is ${run.status}: ${run.summary}`)
  if (mission.status !== 'done') say(`its mission is ${mission.status}`)
  const count = Object.keys(kind.briefs).length
  const asked = briefs.filter((brief) => brief.kind === 'work').length
  if (asked !== count) say(`has ${asked} briefs, not ${count}`)
  const opened = gates.map(({ gate, status }) => `${gate} ${status}`).join(', ')
  if (opened !== kind.gates.map((gate) => `${gate} approved`).join(', ')) say(`its gates are ${opened}`)
  const blocked = attempts.filter(({ outcome }) => outcome === 'blocked').length
  const answered = questions.filter(({ status }) => status === 'answered').length
  if (questions.length !== blocked || answered !== blocked)
    say(`asked ${blocked} times, has ${questions.length} questions, ${answered} of them answered`)
  if (run.briefs_done !== count || run.briefs_open !== 0 || run.briefs_failed !== 0 || run.briefs_total !== count)
    say(`counts ${run.briefs_done} done, ${run.briefs_open} open, ${run.briefs_failed} failed of ${run.briefs_total}`)
  const ends = events.filter((event) => event.kind === 'run_status' && event.data['to'] === 'done')
  if (ends.length !== 1) say(`ended ${ends.length} times`)
  const spent = attempts.reduce((sum, attempt) => sum + attempt.input_tokens, 0)
  if (spent !== run.input_tokens) say(`its attempts used ${spent} input tokens, it says ${run.input_tokens}`)
}

function findInBrief(
  { home }: Installation,
  inspected: Inspected,
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  deaths: Deaths,
  say: Say,
): void {
  const attempts = inspected.attempts.filter((attempt) => attempt.brief_id === brief.id)
  const events = inspected.events.filter((event) => event.brief_id === brief.id)
  const history = attempts.map((attempt) => `${attempt.fence} ${attempt.outcome ?? attempt.status}`).join(', ')
  if (brief.status !== 'done') say(`is ${brief.status} after ${history}`)
  if (attempts.some((attempt, index) => attempt.fence !== index + 1)) say(`its fences are not 1, 2, 3 …: ${history}`)
  if (attempts.at(-1)?.outcome !== 'ok') say(`was not accepted at last: ${history}`)
  findVerdicts(inspected, brief, wanted, attempts, (text) => say(`${text}: ${history}`))
  for (const kind of ['completed', 'session_complete'] as const) {
    const times = events.filter((event) => event.kind === kind).length
    if (times !== 1) say(`${kind} ${times} times`)
  }
  findOutcomes(attempts, brief, wanted, deaths, (text) => say(`${text}: ${history}`))
  findOverlap(events, say)
  findTooEarly(inspected, brief, wanted, say)
  findOutputs(join(home, 'workspaces', brief.run_id, brief.id), inspected, attempts.at(-1), brief, wanted, say)
}

/** Without a verifier one attempt is accepted. With one each that ended well was judged once, and the last one passed. */
function findVerdicts(
  { briefs, verdicts }: Inspected,
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  attempts: readonly Wire<Attempt>[],
  say: Say,
): void {
  const ended = attempts.filter(({ outcome }) => outcome === 'ok').map(({ fence }) => fence)
  const judged = verdicts.filter((verdict) => verdict.brief_id === brief.id)
  const failed = judged.filter(({ verdict }) => verdict !== 'pass').length
  if (brief.verification_failures !== failed) say(`says that ${brief.verification_failures} verifications failed`)
  if (!wanted.judged) {
    if (ended.length !== 1 || judged.length > 0) say(`ended well ${ended.length} times, judged ${judged.length} times`)
    return
  }
  if (judged.map(({ attempt }) => attempt).join() !== ended.join()) say('was not judged once for each that ended well')
  if (failed !== judged.length - 1 || judged.at(-1)?.verdict !== 'pass') say(`${failed} of its verdicts are no pass`)
  const verifiers = briefs.filter(({ verifies }) => verifies === brief.id).map((each) => each.verifies_attempt)
  if (verifiers.join() !== ended.join()) say(`verifiers were asked about its attempts ${verifiers.join()}`)
}

/** A planner or a verifier: it ends well once, whoever died meanwhile. */
function findInDuty({ attempts, events }: Inspected, brief: Wire<Brief>, deaths: Deaths, say: Say): void {
  const own = attempts.filter((attempt) => attempt.brief_id === brief.id)
  const history = own.map((attempt) => `${attempt.fence} ${attempt.outcome ?? attempt.status}`).join(', ')
  if (brief.status !== 'done') say(`is ${brief.status} after ${history}`)
  if (own.filter(({ outcome }) => outcome === 'ok').length !== 1 || own.at(-1)?.outcome !== 'ok')
    say(`did not end well once, at last: ${history}`)
  const strange = own.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'interrupted')
  if (strange.length > 0 && !(deaths.agents > 0 && strange.every(({ outcome }) => outcome === 'crash')))
    say(`an outcome that nobody caused: ${history} (${strange.map(({ detail }) => detail).join('; ')})`)
  findOverlap(
    events.filter((event) => event.brief_id === brief.id),
    say,
  )
}

/** Only what the agent did by itself counts against it; that we died does not. */
function findOutcomes(
  attempts: readonly Wire<Attempt>[],
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  deaths: Deaths,
  say: Say,
): void {
  const of = (...outcomes: string[]) => attempts.filter(({ outcome }) => outcomes.includes(outcome ?? ''))
  const strange = attempts.filter(
    ({ outcome, fence }) => outcome !== 'ok' && outcome !== 'interrupted' && !(fence === 1 && outcome === wanted.first),
  )
  // Whom we killed ourselves has crashed.
  if (strange.length > 0 && !(deaths.agents > 0 && strange.every(({ outcome }) => outcome === 'crash')))
    say(`an outcome that nobody caused (${strange.map(({ detail }) => detail).join('; ')})`)
  if (of('interrupted').length > deaths.daemons) say(`interrupted more often than the daemon died (${deaths.daemons})`)
  if (brief.retries_used !== of('bad_output').length) say(`says that ${brief.retries_used} retries were used`)
  if (brief.crash_retries !== of('crash', 'timeout').length) say(`says that it crashed ${brief.crash_retries} times`)
  if (brief.interruptions !== 0) say(`still counts ${brief.interruptions} interruptions in a row`)
}

/** One attempt ends before the next begins. */
function findOverlap(events: readonly Wire<Event>[], say: Say): void {
  let live: string | null = null
  for (const { kind, attempt_id: id } of events) {
    if (kind === 'assigned') {
      if (live !== null) say(`${id} began while ${live} was live`)
      live = id
    } else if (kind === 'turn_ended') {
      if (live !== id) say(`${id} ended, live was ${live}`)
      live = null
    }
  }
}

function findTooEarly({ briefs, events }: Inspected, brief: Wire<Brief>, wanted: ExpectedBrief, say: Say): void {
  const began = events.find((event) => event.kind === 'assigned' && event.brief_id === brief.id)?.seq ?? 0
  for (const key of wanted.after) {
    const before = briefs.find((each) => each.key === key)?.id
    const done = events.find((event) => event.kind === 'completed' && event.brief_id === before)?.seq ?? Infinity
    if (began < done) say(`began before ${key} was verified`)
  }
}

function findOutputs(
  workspace: string,
  { evidence, artifacts }: Inspected,
  accepted: Wire<Attempt> | undefined,
  brief: Wire<Brief>,
  wanted: ExpectedBrief,
  say: Say,
): void {
  if (existsSync(join(workspace, 'overlap'))) say('two agents were at work at once')
  const checks = evidence.filter((check) => check.attempt_id === accepted?.id)
  if (checks.length !== wanted.evidence || checks.some((check) => !check.passed))
    say(
      `accepted with ${checks.filter((check) => check.passed).length} of ${checks.length} checks, ${wanted.evidence} asked for`,
    )
  for (const [path, text] of Object.entries(wanted.outputs)) {
    const versions = artifacts.filter((artifact) => artifact.brief_id === brief.id && artifact.name === path)
    const sha256 = createHash('sha256').update(text).digest('hex')
    if (versions.at(-1)?.sha256 !== sha256) say(`its artifact ${path} is not what it should be`)
    if (versions.some((artifact, index) => artifact.version !== index + 1)) say(`versions of ${path} are missing`)
    if (new Set(versions.map((artifact) => artifact.sha256)).size !== versions.length) say(`${path} was recorded twice`)
    if (!existsSync(join(workspace, path)) || readFileSync(join(workspace, path), 'utf8') !== text)
      say(`${path} in its workspace is not what it should be`)
  }
}
