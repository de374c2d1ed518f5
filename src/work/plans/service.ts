import type { Runtime } from '../../adapters/runtime/port.ts'
import type { Db } from '../../db/port.ts'
import { requireAgent } from '../briefs/cast.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Fault } from '../../org/document/contract.ts'
import { runInWorker } from '../../threads/run-in-worker.ts'
import type { BriefSpec } from '../briefs/contract.ts'
import { describeEvidence } from '../evidence/contract.ts'
import type { CreateRun, Run } from '../runs/contract.ts'
import type { PlanDocument, PlanInput, PlannedBrief } from './contract.ts'
import { maxPlanBytes, type Place } from '../../documents/values.ts'
import { levelsOf } from './graph.ts'
import { type BriefPlaces, fault, type ProgramPlaces, type ReadPlan, readPlan } from './read.ts'

export interface PlanDeps {
  db: Db
  clock: Clock
  runtimes: ReadonlyMap<string, Runtime>
  startRun: (by: Actor, input: CreateRun) => Promise<Run>
  /** Refuses what `startRun` would, without starting anything. */
  checkRun: (input: CreateRun) => Promise<void>
}

export type Plans = ReturnType<typeof createPlans>

/** The largest plan that is accepted takes a few seconds on a slow machine; what takes longer is made to. */
const limits = { timeoutMs: 50_000, maxMemoryMb: 1_024 }
const smallBytes = 16_000
const maxFaults = 200

export function createPlans(deps: PlanDeps) {
  /** What the file says, with what is wrong with it; the rest of us goes on meanwhile. */
  async function read({ plan: text, ...instead }: PlanInput): Promise<{ plan: PlanDocument | null; faults: Fault[] }> {
    const found = await readApart(text, deps.clock)
    const { plan: written, faults } = found
    if (written === null) return { plan: null, faults: [...faults] }
    const plan = { ...written, ...given(instead) }
    return { plan, faults: [...faults, ...missingGoal(plan), ...(await strangers(deps, plan, found))] }
  }

  return {
    async check(input: PlanInput) {
      const { plan, faults: found } = await read(input)
      const faults = found.length > 0 || plan === null ? found : await refusals(deps, plan)
      const valid = faults.length === 0
      return { valid, faults, goal: plan?.goal ?? null, briefs: plan === null || !valid ? [] : ordered(plan) }
    },

    async run(by: Actor, input: PlanInput): Promise<Run> {
      const { plan, faults } = await read(input)
      if (plan === null || plan.goal === undefined || faults.length > 0) throw faulty(faults)
      return deps.startRun(by, { ...plan, goal: plan.goal })
    },
  }
}

/** What is wrong with none of its lines: there is no runtime, or it cannot run here. */
async function refusals({ checkRun }: PlanDeps, plan: PlanDocument): Promise<Fault[]> {
  try {
    await checkRun({ ...plan, goal: plan.goal ?? '' })
    return []
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    return [fault(sentenceOf(error), { line: 1, column: 1 }, null)]
  }
}

const sentenceOf = ({ message, hint }: AgencyError): string => `${message}${hint === undefined ? '' : `. ${hint}`}`

/** A small plan is read faster than a thread starts. */
async function readApart(text: string, clock: Clock): Promise<ReadPlan> {
  const bytes = Buffer.byteLength(text)
  if (bytes > maxPlanBytes)
    throw refusal('too_large', `the plan is larger than ${maxPlanBytes / 1_000_000} MB; it was not read`)
  if (bytes < smallBytes) return readPlan(text)
  const result = await runInWorker<ReadPlan>('plan-reader', text, { clock, ...limits })
  if ('error' in result) throw refusal('too_large', `the plan could not be read: ${result.error}`)
  return result.value
}

const given = (values: Omit<PlanInput, 'plan'>): Partial<CreateRun> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<CreateRun>

const missingGoal = (plan: PlanDocument): Fault[] =>
  plan.goal === undefined
    ? [fault('the plan has no goal; write one, or give it with the command', { line: 1, column: 1 }, 'goal')]
    : []

/** People and programs that a brief names and that are not here. */
async function strangers(deps: PlanDeps, plan: PlanDocument, { places, program }: ReadPlan): Promise<Fault[]> {
  const people = await knownPeople(deps.db, plan.briefs)
  const faults = plan.briefs.flatMap((brief, index) => {
    const place = places[index] as BriefPlaces
    return [
      ...personFault(brief, 'persona', people, place.persona),
      ...personFault(brief, 'verifier', people, place.verifier),
      ...sameFault(brief, people, place.verifier),
      ...idleFault(brief, place.verifier),
      ...(brief.runtime === undefined && brief.runtimeOptions === undefined
        ? []
        : runtimeFault(deps, plan, brief, place)),
    ]
  })
  const isAlone = plan.briefs.every((brief) => brief.runtimeOptions !== undefined)
  return [...runtimeFault(deps, plan, null, program, isAlone), ...faults].slice(0, maxFaults)
}

/** Each name once: the persona's id, or why there is none. What is wrong with the two hundredth nobody reads. */
async function knownPeople(db: Db, briefs: readonly BriefSpec[]): Promise<Map<string, number | string>> {
  const names = new Set(briefs.flatMap((brief) => [brief.persona, brief.verifier]).filter((name) => name !== undefined))
  if (names.size === 0) return new Map()
  return db.read(async (tx) => {
    const people = new Map<string, number | string>()
    let unknown = 0
    for (const name of names) {
      if (unknown === maxFaults) break
      try {
        people.set(name, (await requireAgent(tx, name)).id)
      } catch (error) {
        if (!(error instanceof AgencyError) || error.code === 'bug') throw error
        people.set(name, sentenceOf(error))
        unknown++
      }
    }
    return people
  })
}

function personFault(
  brief: BriefSpec,
  field: 'persona' | 'verifier',
  people: ReadonlyMap<string, number | string>,
  place: Place,
): Fault[] {
  const name = brief[field]
  const found = name === undefined ? undefined : people.get(name)
  return typeof found === 'string' ? [fault(`brief "${brief.key}": ${field}: ${found}`, place, brief.key)] : []
}

/** Compared as who they are: one may be named by a slug, the other by a name. */
function sameFault({ key, persona, verifier }: BriefSpec, people: ReadonlyMap<string, unknown>, place: Place): Fault[] {
  if (persona === undefined || verifier === undefined) return []
  const who = people.get(persona)
  return typeof who === 'number' && who === people.get(verifier)
    ? [fault(`brief "${key}": nobody judges their own work; ${shorten(verifier, 100)} does it`, place, key)]
    : []
}

const idleFault = ({ key, verifier, verify }: BriefSpec, place: Place): Fault[] =>
  verifier !== undefined && verify === 'none'
    ? [fault(`brief "${key}": it names a verifier, and is not to be verified`, place, key)]
    : []

/** Of a brief, or of the plan for all briefs that name none; its options do not matter where no brief takes them. */
function runtimeFault(
  { runtimes }: PlanDeps,
  plan: PlanDocument,
  brief: BriefSpec | null,
  places: ProgramPlaces,
  isUnused = false,
): Fault[] {
  const name = brief?.runtime ?? plan.runtime
  if (name === undefined) return []
  const subject = brief?.key ?? null
  const where = brief === null ? '' : `brief "${brief.key}": `
  const runtime = runtimes.get(name)
  if (runtime === undefined) {
    const known = [...runtimes.keys()].join(', ')
    return [fault(`${where}there is no runtime "${shorten(name, 64)}"; there are ${known}`, places.runtime, subject)]
  }
  if (isUnused) return []
  try {
    runtime.checkOptions(brief?.runtimeOptions ?? plan.runtimeOptions)
    return []
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    return [fault(`${where}${error.message}`, places.runtimeOptions, subject)]
  }
}

function ordered({ briefs, evidence }: PlanDocument): PlannedBrief[] {
  const levels = levelsOf(briefs)
  return briefs
    .map((brief) => ({
      key: brief.key,
      title: brief.title ?? shorten(brief.objective.split('\n')[0] as string, 120),
      level: levels.get(brief.key) as number,
      after: brief.after,
      evidence: (brief.evidence ?? evidence).map((each) => shorten(describeEvidence(each), 200)),
      runtime: brief.runtime ?? null,
      persona: brief.persona ?? null,
      verifier: brief.verifier ?? null,
    }))
    .sort((a, b) => a.level - b.level)
}

function faulty(faults: readonly Fault[]): AgencyError {
  const [first] = faults
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  const said =
    first === undefined ? 'the plan cannot be used' : `line ${first.line}, column ${first.column}: ${first.message}`
  return refusal('invalid_input', `${said}${more}`, {
    hint: 'agency run --plan FILE --preview lists them all and starts nothing.',
    data: { faults },
  })
}
