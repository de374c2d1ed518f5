import { AgencyError } from '../../../src/kernel/errors.ts'
import { changed } from '../../../src/workspaces/handed-files.ts'
import type { SetBudget } from '../../../src/work/budgets/contract.ts'
import { operator } from '../../support/work.ts'
import type { Act } from '../acts.ts'
import type { Row } from '../history.ts'
import { openRuns } from '../invariants/brief.ts'
import { heldBriefs } from '../invariants/rest.ts'
import { isSimulated, mayHaveHappened, textOf } from '../simulated-errors.ts'
import type { Random } from '../random.ts'
import { reseat } from '../lead/seat.ts'
import { people, workers } from '../store.ts'
import type { Life, World } from '../world.ts'

/** Starts an operator that acts from time to time: sensibly, twice, or in contradiction to itself. */
export function startOperator(world: World): void {
  const random = world.random.about('operator')
  const turn = (): void => {
    if (world.phase !== 'busy') return
    jumpClock(world)
    if (random.chance(world.rates.stop)) void world.reach()?.stop()
    else actOnce(world, random)
    world.clock.after(random.between(1, 2 * world.rates.operatorMs), turn)
  }
  if (!world.rates.isOperatorSilent) world.clock.after(random.between(1, world.rates.operatorMs), turn)
}

/** Sets the clock of a process, or the only one; that of a shared store is right. */
function jumpClock(world: World): void {
  const { random, rates, clock, workerRates } = world
  const jump = random.about(`clock ${clock.nowMs()}`)
  if (!jump.chance(rates.clockJump)) return
  world.fault('clock jump')
  const ms = jump.between(-3_600_000, 3_600_000)
  if (workerRates.workers === 1) clock.jump(ms)
  else world.reach()?.process.jump(ms)
}

/** Decides all gates and questions, so that every run can end. */
export function decideEverything(world: World, round: number): void {
  const life = world.reach()
  if (life === null) return
  if (world.history.rows('stops').size > 0) void clearStop(world, life)
  const questions = openQuestions(world)
  // A file that was spoilt stays so: no other answer helps.
  const spoilt = questions.filter(({ text }) => String(text).endsWith(`cannot be handed over: ${changed}`))
  for (const question of spoilt) void answer(world, life, question['id'] as string, 'abandon')
  const given = new Set(spoilt.map((question) => `brief:${question['brief_id']}`))
  const gates = pendingGates(world).filter(({ boundary }) => !given.has(boundary as string))
  for (const gate of gates)
    if (gate['gate'] === 'manual') void resume(world, life, gate['run_id'] as string)
    else
      for (const person of ['operator', ...people].slice(0, Number(gate['approvals_needed'])))
        void approve(world, life, gate['id'] as string, person)
  for (const question of questions) {
    const keys = optionsOf(question).filter((key) => key !== 'abandon')
    // The last round is a free answer: a question need not have options that help.
    const tried = keys[round % (keys.length + 1)] ?? 'do as you think best'
    void answer(world, life, question['id'] as string, isAboutChangedFile(question) ? 'abandon' : tried)
  }
  for (const run of openRuns(world))
    for (const brief of heldBriefs(world.history, run['id'] as string))
      void cancelBrief(world, life, brief['id'] as string)
}

function actOnce(world: World, random: Random): void {
  const life = world.reach()
  if (life === null) return
  const choices: (() => void)[] = []
  const twice =
    (one: () => void, other: () => void = one): (() => void) =>
    () => {
      if (!random.chance(world.rates.doubleClick)) return one()
      world.fault('double click')
      one()
      other()
    }
  for (const gate of pendingGates(world)) {
    const id = gate['id'] as string
    const person = random.pick(['operator', 'operator', ...people])
    const approving = (): void => void approve(world, life, id, person)
    const rejecting = (): void => void reject(world, life, id, person)
    const resuming = (): void => void resume(world, life, gate['run_id'] as string)
    if (gate['gate'] === 'manual') choices.push(twice(resuming, random.pick([resuming, approving, rejecting])))
    else
      choices.push(
        twice(approving, random.pick([approving, rejecting])),
        twice(approving, () => void approve(world, life, id, 'bob')),
        twice(rejecting, random.pick([approving, rejecting])),
      )
  }
  for (const question of openQuestions(world)) {
    const id = question['id'] as string
    const answering = (): void =>
      void answer(world, life, id, random.pick([...optionsOf(question), 'do as you think best']))
    choices.push(twice(answering), answering)
  }
  for (const run of openRuns(world)) {
    const id = run['id'] as string
    choices.push(
      twice(
        () => void pause(world, life, id),
        random.pick([() => void pause(world, life, id), () => void resume(world, life, id)]),
      ),
    )
    if (random.chance(world.rates.cancel)) choices.push(twice(() => void cancel(world, life, id)))
    if (random.chance(world.rates.cancel)) {
      const brief = random.pick(world.history.of('briefs', id))
      choices.push(() => void cancelBrief(world, life, brief['id'] as string))
    }
  }
  if (random.chance(world.rates.stopAll))
    choices.push(
      twice(() => void stopAll(world, life)),
      twice(() => void clearStop(world, life)),
    )
  if (random.chance(world.rates.limit)) {
    const tokens = random.pick([null, random.between(100, 20_000)])
    choices.push(() => void limit(world, life, { persona: random.pick(['cleo', 'dora', 'operator']), tokens }))
  }
  const money = random.about(`money ${world.acts.all.length}`)
  if (money.chance(world.rates.mixedBudget)) choices.push(() => void limit(world, life, drawBudget(world, money)))
  if (world.leadSeat !== null && random.chance(0.2)) choices.push(() => void reseatLead(world, life, random))
  if (choices.length > 0) random.pick(choices)()
}

const pendingGates = (world: World): Row[] =>
  [...world.history.rows('gates').values()].filter(
    (gate) => gate['status'] === 'pending' && gate['approver'] === 'operator',
  )
const openQuestions = (world: World): Row[] =>
  [...world.history.rows('questions').values()].filter((question) => question['answered_at'] === null)
const optionsOf = (question: Row): string[] =>
  (JSON.parse(question['options'] as string) as { key: string }[]).map((option) => option.key)

const approve = (world: World, life: Life, gateId: string, by: string): Promise<void> =>
  observe(world, world.acts.begin('approve', gateId, by), () =>
    life.agency.gates.approve(operator, { target: gateId, note: 'fine', as: by === 'operator' ? undefined : by }),
  )
const reject = (world: World, life: Life, gateId: string, by: string): Promise<void> =>
  observe(world, world.acts.begin('reject', gateId, by), () =>
    life.agency.gates.reject(operator, {
      target: gateId,
      reason: 'not like this',
      as: by === 'operator' ? undefined : by,
    }),
  )
const pause = (world: World, life: Life, runId: string): Promise<void> =>
  observe(world, world.acts.begin('pause', runId, 'operator'), () => life.agency.gates.pause(operator, runId, 'lunch'))
const resume = (world: World, life: Life, runId: string): Promise<void> =>
  observe(world, world.acts.begin('resume', runId, 'operator'), () => life.agency.gates.resume(operator, runId))
/** Only a repair of the file would let the brief continue. */
const isAboutChangedFile = (question: Row): boolean => /cannot be handed over/.test(String(question['text']))

const answer = (world: World, life: Life, questionId: string, text: string): Promise<void> =>
  observe(world, world.acts.begin('answer', questionId, 'operator'), () =>
    life.agency.questions.answer(operator, questionId, text),
  )
const cancel = (world: World, life: Life, runId: string): Promise<void> =>
  observe(world, world.acts.begin('cancel', runId, 'operator'), () =>
    life.agency.runs.cancel(operator, runId, 'enough'),
  )
export const cancelBrief = (world: World, life: Life, briefId: string): Promise<void> =>
  observe(world, world.acts.begin('cancel', briefId, 'operator'), () =>
    life.agency.briefs.update(operator, briefId, 'cancelled', 'not needed'),
  )

const stopAll = (world: World, life: Life): Promise<void> =>
  observe(world, world.acts.begin('stop', 'all', 'operator'), () =>
    life.agency.stops.set(operator, undefined, 'the house is on fire'),
  )
const clearStop = (world: World, life: Life): Promise<void> =>
  observe(world, world.acts.begin('clear', 'all', 'operator'), () => life.agency.stops.clear(operator, undefined))
const reseatLead = (world: World, life: Life, random: Random): Promise<void> => {
  const name = random.pick([...workers, null])
  return observe(world, world.acts.begin('reseat', name ?? 'nobody', 'operator'), () =>
    reseat(life.db, world.leadSeat as number, name),
  )
}
const limit = (world: World, life: Life, budget: SetBudget): Promise<void> =>
  observe(world, world.acts.begin('limit', JSON.stringify(budget), 'operator'), () =>
    life.agency.budgets.set(operator, budget),
  )

/** Draws a budget of any owner: too small, large enough, or none. */
function drawBudget(world: World, random: Random): SetBudget {
  const runs = openRuns(world)
  const run = runs.length === 0 ? undefined : random.pick(runs)
  const owner: Partial<SetBudget> = random.pick([
    { persona: random.pick(['cleo', 'dora', 'operator']) },
    { organisation: 'Development' },
    ...(run === undefined
      ? []
      : [{ runId: run['id'] as string }, { runId: run['id'] as string }, { missionId: run['mission_id'] as string }]),
  ])
  const tokens = random.pick([null, random.between(100, 3_000), random.between(3_000, 100_000)])
  const usd = random.pick([null, random.between(100, 10_000) / 1e6, random.between(10_000, 400_000) / 1e6])
  return { ...owner, ...random.pick([{ tokens }, { usd }, { tokens, usd }]) }
}

/**
 * Records the result of an act. A refusal is a valid answer, any other error is a bug; if the daemon dies, there is no
 * result.
 */
async function observe(world: World, act: Act, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    act.result = 'done'
  } catch (error) {
    // Without an answer it may have taken effect.
    if (mayHaveHappened(error)) return
    act.result = 'refused'
    act.detail = error instanceof Error ? error.message : String(error)
    if (isSimulated(error)) return
    if (!(error instanceof AgencyError) || error.code === 'bug')
      world.fail('people get an answer', `${act.kind} ${act.target}: ${textOf(error)}`)
  }
}
