import type { Runtime } from '../../adapters/runtime/port.ts'
import type { Db } from '../../db/port.ts'
import { requireAgent } from '../briefs/cast.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Fault } from '../../documents/contract.ts'
import { createFault, firstLine, maxFaults, type SourceLocation } from '../../documents/faults.ts'
import type { BriefSpec } from '../briefs/contract.ts'
import { describeEvidence } from '../evidence/contract.ts'
import type { GivenFile, TrustedFiles } from '../trusted-files/service.ts'
import type { CreateRun, Run } from '../runs/contract.ts'
import type { PlanDocument, PlanInput, PlannedBrief } from './contract.ts'
import { levelsOf } from './graph.ts'
import type { BriefLocations, ReadPlan, RuntimeLocations } from './read.ts'
import { readInThread } from './read-in-thread.ts'

export interface PlanDeps {
  db: Db
  clock: Clock
  runtimes: ReadonlyMap<string, Runtime>
  startRun: (by: Actor, input: CreateRun) => Promise<Run>
  /** Asks the operator about files that start anything. */
  trust: Pick<TrustedFiles, 'reviewAll' | 'require'>
  /** Refuses the same input as `startRun`, without starting anything. */
  checkRun: (input: CreateRun) => Promise<void>
}

type PlanText = Pick<PlanInput, 'plan' | 'fileNames' | 'trust'>

export type Plans = ReturnType<typeof createPlans>

export function createPlans(deps: PlanDeps) {
  /** Reads the file and lists its faults; values of the command line replace those of the file. */
  async function read({
    plan: text,
    ...overrides
  }: PlanInput): Promise<{ plan: PlanDocument | null; faults: Fault[]; files: GivenFile[] }> {
    const found = await readInThread(text, deps.clock)
    const { plan: written, faults } = found
    if (written === null) return { plan: null, faults: [...faults], files: [] }
    const { team, fileNames } = overrides
    const files: GivenFile[] = [
      { kind: 'plan', plan: written, text, name: fileNames?.plan },
      ...(team === undefined ? [] : [{ kind: 'team' as const, text: team, name: fileNames?.team }]),
    ]
    const plan = { ...written, ...definedValues(overrides) }
    return { plan, faults: [...faults, ...missingGoal(plan), ...(await referenceFaults(deps, plan, found))], files }
  }

  return {
    async check(input: PlanInput) {
      const { plan, faults: found, files } = await read(input)
      const faults = found.length > 0 || plan === null ? found : await refusals(deps, plan)
      const valid = faults.length === 0
      return {
        valid,
        faults,
        goal: plan?.goal ?? null,
        briefs: plan === null || !valid ? [] : ordered(plan),
        files: await deps.trust.reviewAll(files),
      }
    },

    /** Reads a plan that starts no run, so that it needs no goal. */
    async read(by: Actor, { plan: text, fileNames, trust }: PlanText): Promise<PlanDocument> {
      const found = await readInThread(text, deps.clock)
      const { plan } = found
      const faults = [...found.faults, ...(plan === null ? [] : await referenceFaults(deps, plan, found))]
      if (plan === null || faults.length > 0) throw faulty(faults)
      await deps.trust.require(by, [{ kind: 'plan', plan, text, name: fileNames?.plan }], trust)
      return plan
    },

    async run(by: Actor, input: PlanInput): Promise<Run> {
      const { plan, faults, files } = await read(input)
      if (plan === null || plan.goal === undefined || faults.length > 0) throw faulty(faults)
      await deps.trust.require(by, files, input.trust)
      return deps.startRun(by, { ...plan, goal: plan.goal })
    },
  }
}

/** Returns the faults that belong to no line: there is no runtime, or it cannot run here. */
async function refusals({ checkRun }: PlanDeps, plan: PlanDocument): Promise<Fault[]> {
  try {
    await checkRun({ ...plan, goal: plan.goal ?? '' })
    return []
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    return [createFault(sentenceOf(error), firstLine, null)]
  }
}

const sentenceOf = ({ message, hint }: AgencyError): string => `${message}${hint === undefined ? '' : `. ${hint}`}`

const definedValues = (values: Omit<PlanInput, 'plan'>): Partial<CreateRun> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<CreateRun>

const missingGoal = (plan: PlanDocument): Fault[] =>
  plan.goal === undefined
    ? [createFault('the plan has no goal; add one to the file or to the command', firstLine, 'goal')]
    : []

/** Returns the faults of the personas and runtimes that the plan names. */
async function referenceFaults(
  deps: PlanDeps,
  plan: PlanDocument,
  { briefLocations, runtimeLocations }: ReadPlan,
): Promise<Fault[]> {
  const people = await knownPeople(deps.db, plan.briefs)
  const faults = plan.briefs.flatMap((brief, index) => {
    const locations = briefLocations[index] as BriefLocations
    return [
      ...personFault(brief, 'persona', people, locations.persona),
      ...personFault(brief, 'verifier', people, locations.verifier),
      ...sameFault(brief, people, locations.verifier),
      ...idleFault(brief, locations.verifier),
      ...(brief.runtime === undefined && brief.runtimeOptions === undefined
        ? []
        : runtimeFault(deps, plan, brief, locations)),
    ]
  })
  const isUnused = plan.briefs.every((brief) => brief.runtimeOptions !== undefined)
  return [...runtimeFault(deps, plan, null, runtimeLocations, isUnused), ...faults].slice(0, maxFaults)
}

/** Looks each name up once: the persona's id, or why there is none. Stops at 200 unknown names: no one reads more faults. */
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
  location: SourceLocation,
): Fault[] {
  const name = brief[field]
  const found = name === undefined ? undefined : people.get(name)
  return typeof found === 'string' ? [createFault(`brief "${brief.key}": ${field}: ${found}`, location, brief.key)] : []
}

/** Compares persona ids: one may be named by slug, the other by name. */
function sameFault(
  { key, persona, verifier }: BriefSpec,
  people: ReadonlyMap<string, unknown>,
  location: SourceLocation,
): Fault[] {
  if (persona === undefined || verifier === undefined) return []
  const id = people.get(persona)
  return typeof id === 'number' && id === people.get(verifier)
    ? [createFault(`brief "${key}": ${shorten(verifier, 100)} does the work and cannot verify it`, location, key)]
    : []
}

const idleFault = ({ key, verifier, verify }: BriefSpec, location: SourceLocation): Fault[] =>
  verifier !== undefined && verify === 'none'
    ? [createFault(`brief "${key}" names a verifier, but has verify: none`, location, key)]
    : []

/** Checks the runtime of a brief, or the plan's for all briefs that name none; its options do not matter where no brief uses them. */
function runtimeFault(
  { runtimes }: PlanDeps,
  plan: PlanDocument,
  brief: BriefSpec | null,
  locations: RuntimeLocations,
  isUnused = false,
): Fault[] {
  const name = brief?.runtime ?? plan.runtime
  if (name === undefined) return []
  const subject = brief?.key ?? null
  const where = brief === null ? '' : `brief "${brief.key}": `
  const runtime = runtimes.get(name)
  if (runtime === undefined) {
    const known = [...runtimes.keys()].join(', ')
    return [
      createFault(`${where}unknown runtime "${shorten(name, 64)}"; available: ${known}`, locations.runtime, subject),
    ]
  }
  if (isUnused) return []
  try {
    runtime.checkOptions(brief?.runtimeOptions ?? plan.runtimeOptions)
    return []
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    return [createFault(`${where}${error.message}`, locations.runtimeOptions, subject)]
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
  const message =
    first === undefined ? 'the plan cannot be used' : `line ${first.line}, column ${first.column}: ${first.message}`
  return refusal('invalid_input', `${message}${more}`, {
    hint: '"agency run --plan FILE --preview" lists all of them and starts nothing.',
    data: { faults },
  })
}
