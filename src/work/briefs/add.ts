import { inserted, record } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { NewBrief } from '../../playbooks/contract.ts'
import type { Brief, Dependency } from './contract.ts'
import { isMet } from './states.ts'
import { briefs, findBriefByKey } from './store.ts'
import { requiresOf } from './dependents.ts'
import { requireHolder, seatOf } from './cast.ts'
import { countBriefs, newBrief } from './create.ts'
import type { Cast, RunScope } from '../scope.ts'
import { log } from '../runs/log.ts'
import { takeQuestion } from '../questions/take.ts'
import { eventTags, nameOf } from './moves.ts'

/** Adds briefs that a playbook makes during a run, with personas, places and dependencies. */
export async function addBriefs(scope: RunScope, wanted: readonly NewBrief[]): Promise<void> {
  if (wanted.length === 0) return
  const sorted = wanted.map(() => scope.ids.next('brief')).sort()
  const ids = new Map(wanted.map(({ key }, index) => [key, sorted[index] as string]))
  if (ids.size < wanted.length) throw bug(`two briefs of run ${scope.run.id} have the same key`)
  const edges: Dependency[] = []
  const casts = new Map<string, Promise<Casting>>()
  for (const [index, spec] of wanted.entries()) {
    const id = sorted[index] as string
    const before = await waitingFor(scope, spec.after ?? [], ids)
    edges.push(...before.map(({ afterId, met }) => ({ runId: scope.run.id, briefId: id, afterId, met })))
    const brief = await placed(
      scope,
      spec,
      id,
      index,
      before.filter(({ met }) => !met).length,
      await castOnce(scope, casts, spec),
    )
    await record(
      scope.tx,
      {
        kind: 'brief_created',
        by: scope.by,
        runId: scope.run.id,
        briefId: id,
        ...eventTags(scope, brief),
        level: 'verbose',
        message: `${nameOf(scope, brief)}: ${brief.title}`,
        data: {
          to: brief.status,
          phase: brief.phase,
        },
      },
      [inserted(briefs, brief)],
    )
  }
  await countBriefs(scope, wanted, edges, wanted.length === 1 ? '1 brief more' : `${wanted.length} briefs more`)
  for (const { key, takes } of wanted) if (takes !== undefined) await takeQuestion(scope, takes, ids.get(key) as string)
}

interface Before {
  afterId: string
  met: boolean
}

async function waitingFor(
  scope: RunScope,
  keys: readonly string[],
  ids: ReadonlyMap<string, string>,
): Promise<Before[]> {
  const before: Before[] = []
  for (const key of new Set(keys)) {
    const together = ids.get(key)
    if (together !== undefined) {
      before.push({ afterId: together, met: false })
      continue
    }
    const brief = await findBriefByKey(scope.tx, scope.run.id, key)
    if (brief === undefined) throw bug(`a brief waits for "${key}", which does not exist`)
    before.push({ afterId: brief.id, met: isMet(brief.status, requiresOf(scope)) })
  }
  return before
}

/** Returns the ids of the briefs whose outputs a brief is handed although it does not wait for them. */
export const received = (scope: RunScope, keys: readonly string[]): Promise<string[]> =>
  Promise.all(
    keys.map(async (key) => {
      const brief = await findBriefByKey(scope.tx, scope.run.id, key)
      if (brief === undefined) throw bug(`a brief is handed the outputs of "${key}", which does not exist`)
      return brief.id
    }),
  )

async function placed(
  scope: RunScope,
  spec: NewBrief,
  id: string,
  index: number,
  unmet: number,
  cast: Casting,
): Promise<Brief> {
  const { run } = scope
  const { configuration } = run
  const { runtime, runtimeOptions } = spec.runtime ?? configuration
  const isWork = spec.kind === 'work'
  const evidence = isWork ? [...configuration.evidence, ...(spec.evidence ?? [])] : []
  return newBrief(scope, {
    id,
    key: spec.key,
    // A step has no position in a list of tasks; steps of the same decision keep their order.
    number: run.briefsTotal + index + 1,
    kind: spec.kind,
    title: shorten(spec.title, 120),
    objective: spec.objective,
    context: spec.context ?? '',
    evidence: isWork && evidence.length === 0 ? [{ kind: 'artifact' }] : evidence,
    checkable: configuration.evidence.length > 0 || !isWork,
    verify: isWork ? 'agent' : 'none',
    status: spec.status ?? 'pending',
    unmetDependencies: unmet,
    runtime,
    provider: scope.providerOf(runtime, runtimeOptions),
    runtimeOptions,
    crashLimit: configuration.team?.limits.crashRetries ?? configuration.crashRetries,
    retryBudget: spec.retryBudget,
    phase: spec.phase,
    part: spec.part,
    ownerId: spec.ownerId ?? null,
    capKey: spec.capKey ?? null,
    groupKey: spec.groupKey ?? null,
    startsAfterFailure: spec.startsAfterFailure ?? false,
    data: { ...spec.data, personality: cast.personality },
    personaId: cast.personaId,
    positionId: cast.positionId,
    verifierId: cast.verifierId,
    inputs: { ...spec.inputs },
    receives: await received(scope, spec.receives ?? []),
    guidance: [...(spec.guidance ?? [])],
    corrections: [...(spec.corrections ?? [])],
  })
}

type Casting = Pick<Cast, 'personaId' | 'personality'> & { verifierId: number | null; positionId: number | null }

/** Casts equal specifications once. */
function castOnce(scope: RunScope, casts: Map<string, Promise<Casting>>, spec: NewBrief): Promise<Casting> {
  const key = JSON.stringify([spec.cast, spec.positionId ?? null])
  const known = casts.get(key) ?? castFor(scope, spec)
  casts.set(key, known)
  return known
}

/** Chooses the persona for the work and another persona for its verification. */
async function castFor(scope: RunScope, { cast, key, positionId = null }: NewBrief): Promise<Casting> {
  const { organisationId } = scope.run
  const { tier, domain, wanted } = cast
  if (positionId !== null) {
    const personaId = (await requireHolder(scope.tx, positionId, organisationId)).id
    return { personaId, personality: null, positionId, verifierId: await judgeFor(scope, cast, personaId) }
  }
  const doer = await scope.cast(scope.tx, { organisationId, tier, domain, wanted, not: null })
  for (const warning of doer.warning === null ? [] : [doer.warning])
    await log(scope, { kind: 'log', message: `${key}: ${warning}`, data: { wanted } })
  const { personaId, personality } = doer
  const own = { personaId, personality, positionId: await seatOf(scope.tx, organisationId, personaId) }
  return { ...own, verifierId: await judgeFor(scope, cast, personaId) }
}

async function judgeFor(
  { cast, run, tx }: RunScope,
  { verifierTier, domain }: NewBrief['cast'],
  doer: number,
): Promise<number | null> {
  if (verifierTier === undefined) return null
  const { organisationId } = run
  const judge = await cast(tx, { organisationId, tier: verifierTier, domain, wanted: null, not: doer })
  return judge.personaId === doer ? null : judge.personaId
}
