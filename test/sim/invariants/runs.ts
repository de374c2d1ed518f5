import type { History, Row } from '../history.ts'
import type { World } from '../world.ts'
import {
  attemptsOf,
  configurationOf,
  haltsRun,
  hasEndedBrief,
  isAtWork,
  nameOf,
  newestGate,
  openQuestionsOf,
  pendingGatesOf,
} from './brief.ts'

/** Checks after a commit that every run agrees with its rows. */
export function inspectRuns(world: World): void {
  world.history.inspect((runIds, history) => {
    for (const runId of runIds) {
      const run = history.row('runs', runId)
      if (run === undefined) continue
      const briefs = history.of('briefs', runId)
      checkCounters(history, run, briefs)
      checkHalt(history, run)
      if (run['ended_at'] !== null) checkEnd(history, run, briefs)
      checkMission(history, run)
      for (const brief of briefs) {
        checkAttempts(history, brief)
        checkDependencies(history, brief)
      }
      checkNotes(history, runId)
    }
  })
}

function checkCounters(history: History, run: Row, briefs: readonly Row[]): void {
  const runId = run['id'] as string
  const counted = briefs.filter((brief) => brief['kind'] !== 'verify')
  const work = briefs.filter((brief) => brief['kind'] === 'work')
  const having = (rows: readonly Row[], status: string): number => rows.filter((row) => row['status'] === status).length
  const attempts = history.of('attempts', runId)
  const sum = (column: string): number => attempts.reduce((total, row) => total + (row[column] as number), 0)
  const expected: Record<string, number> = {
    briefs_total: work.length,
    briefs_open: counted.filter((brief) => !hasEndedBrief(brief)).length,
    briefs_verified: having(work, 'verified'),
    briefs_done: having(work, 'done'),
    briefs_failed: having(counted, 'failed'),
    gates_pending: pendingGatesOf(history, runId).length,
    questions_open: openQuestionsOf(history, runId).length,
    notes_total: history.of('notes', runId).length,
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
  }
  for (const [column, value] of Object.entries(expected))
    if (run[column] !== value)
      history.fail('the counters of a run match its rows', `${runId}: ${column} is ${run[column]}, not ${value}`)
}

/** Checks that a run is halted exactly while a gate that halts it is pending, and that it names the gate. */
function checkHalt(history: History, run: Row): void {
  const gates = pendingGatesOf(history, run['id'] as string).filter(haltsRun)
  const kinds = gates.map((gate) => gate['gate'])
  const status = run['status'] as string
  const refuse = (why: string): void =>
    history.fail('a run halts exactly at its gates', `${run['id']} is ${status}, ${why}`)
  const expected = kinds.includes('manual')
    ? 'paused'
    : kinds.includes('acceptance') || kinds.includes('merge')
      ? 'accepting'
      : 'gated'
  if (gates.length > 0 && status !== expected) refuse(`with ${kinds.join(' and ')} pending`)
  const isAtGit = run['held_by'] === 'landing' || run['held_by'] === 'proof'
  if (gates.length === 0 && ['gated', 'paused', 'accepting'].includes(status) && !isAtGit)
    refuse('with no gate pending')
  const heldBy = run['held_by'] as string | null
  if (gates.length > 0 && !gates.some((gate) => heldBy === `gate:${gate['id']}`)) refuse(`but held by ${heldBy}`)
  if (gates.length === 0 && heldBy?.startsWith('gate:') === true) refuse(`but held by ${heldBy}`)
}

function checkEnd(history: History, run: Row, briefs: readonly Row[]): void {
  const runId = run['id'] as string
  const refuse = (why: string): void =>
    history.fail('an ended run has no open rows', `${runId} is ${run['status']} ${why}`)
  for (const brief of briefs) if (!hasEndedBrief(brief)) refuse(`with ${nameOf(brief)} ${brief['status']}`)
  if (pendingGatesOf(history, runId).length > 0) refuse('with a gate pending')
  if (openQuestionsOf(history, runId).length > 0) refuse('with a question open')
  if (history.of('attempts', runId).some((attempt) => attempt['status'] !== 'ended'))
    refuse('with an attempt under way')
  if (run['status'] !== 'done') return
  const work = briefs.filter((brief) => brief['kind'] === 'work')
  if (!work.some((brief) => brief['status'] === 'done')) refuse('with nothing done')
  if (work.some((brief) => brief['status'] === 'failed')) refuse('with something failed')
  // The gate `merge` includes the acceptance.
  if (configurationOf(run).acceptance !== 'operator' || run['head'] !== null) return
  const gate = newestGate(history, runId, (each) => each['gate'] === 'acceptance')
  if (gate?.['status'] !== 'approved') refuse(`although its acceptance is ${gate?.['status'] ?? 'not asked for'}`)
}

const missionStatuses: Record<string, string> = {
  running: 'in_progress',
  accepting: 'review',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
}

function checkMission(history: History, run: Row): void {
  const mission = history.row('missions', run['mission_id'] as string)
  const expected = missionStatuses[run['status'] as string]
  if (expected !== undefined && mission?.['status'] !== expected)
    history.fail(
      'the status of a mission follows its run',
      `${mission?.['id']} is ${mission?.['status']}, its run ${run['status']}`,
    )
}

function checkAttempts(history: History, brief: Row): void {
  const refuse = (why: string): void => history.fail('one attempt at a time', `${nameOf(brief)} ${why}`)
  const attempts = attemptsOf(history, brief)
  const live = attempts.filter((attempt) => attempt['status'] !== 'ended')
  if (live.length > 1) refuse(`has ${live.length} at once`)
  if (attempts.length !== brief['attempts']) refuse(`counts ${brief['attempts']} of ${attempts.length}`)
  const isHeld = brief['status'] === 'blocked' && live[0]?.['status'] === 'reported' && live[0]['held_by'] !== null
  if (isAtWork(brief) !== (live.length === 1) && !isHeld) refuse(`is ${brief['status']} with ${live.length} under way`)
  if (live[0] !== undefined && live[0]['id'] !== brief['attempt_id'])
    refuse('has a live attempt that is not its newest')
  for (const attempt of attempts) {
    const agent = history.row('agents', attempt['agent_id'] as number)
    const isWorking = attempt['status'] === 'launching' || attempt['status'] === 'running'
    if ((agent?.['ended_at'] === null) !== isWorking) refuse(`and its agent do not end together`)
  }
}

function checkDependencies(history: History, brief: Row): void {
  const unmet = history
    .of('dependencies', brief['run_id'] as string)
    .filter((edge) => edge['brief_id'] === brief['id'] && edge['met'] === 0)
  if (unmet.length !== brief['unmet_dependencies'])
    history.fail(
      'dependencies are counted',
      `${nameOf(brief)} counts ${brief['unmet_dependencies']} of ${unmet.length}`,
    )
}

function checkNotes(history: History, runId: string): void {
  for (const note of history.of('notes', runId)) {
    const question = note['question_id'] === null ? undefined : history.row('questions', note['question_id'] as string)
    if (note['status'] === 'escalated' && question === undefined)
      history.fail('an escalated note has a question', `note ${note['number']} of ${runId}`)
    if (question?.['status'] === 'answered' && note['status'] !== 'resolved')
      history.fail('an answer settles its note', `note ${note['number']} of ${runId} is ${note['status']}`)
  }
}
