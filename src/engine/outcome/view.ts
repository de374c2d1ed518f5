import type { NeededRows, Needs, PlaybookEvent, View } from '../../playbooks/contract.ts'
import { listAppliedToPaths } from '../../work/amendments/store.ts'
import { findDocuments } from '../../work/artifacts/store.ts'
import { countUnderWay, findAttempt } from '../../work/attempts/store.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import {
  findPlanner,
  listBriefsById,
  listBriefsByKey,
  listBriefsOfPart,
  listBriefsOfGroups,
  listFailedBriefs,
  listLastBriefs,
  listNonVerifiersOfPart,
  listWorkKeys,
} from '../../work/briefs/store.ts'
import type { Part, Tally } from '../../work/parts/contract.ts'
import { countPartsBelow, findPart, listPartsBelow, tallyOfPart } from '../../work/parts/store.ts'
import { needsPerson } from '../../work/evidence/store.ts'
import { listNewestVerdicts } from '../../work/verdicts/store.ts'
import { listPastRuns } from '../../work/runs/store.ts'
import type { RunScope } from '../../work/scope.ts'

/** Returns the view of a playbook for an event: the parts that every view has, and the rows that the playbook needs. */
export async function viewFor(scope: RunScope, event: PlaybookEvent): Promise<View> {
  const { tx, run, playbook } = scope
  const needsCount = event.kind !== 'run_started' && event.kind !== 'brief_ready' && run.briefsFailed > 0
  const liveAttempts = needsCount ? await countUnderWay(tx, run.id) : 0
  const key = partOf(event)
  const parts = await chainFrom(scope, key)
  const isCounted = playbook.counts?.(event) ?? true
  const tally = !isCounted ? null : key === null ? noTally : await tallyOfPart(tx, run.id, key)
  const view: View = { run, liveAttempts, parts, tally, found: nothingFound }
  const needs = playbook.needs?.(view, event)
  return needs === undefined ? view : { ...view, found: await find(scope, needs, event) }
}

/** Returns the boundary of a gate before a part. */
export const partBoundary = (part: string): string => `part:${part}`

function partOf(event: PlaybookEvent): string | null {
  if ('brief' in event) return event.brief.part
  if ('gate' in event) return partOfBoundary(event.gate.boundary)
  return 'part' in event ? event.part : null
}

const partOfBoundary = (boundary: string): string | null =>
  boundary.startsWith('part:') ? boundary.slice('part:'.length) : null

async function chainFrom({ tx, run }: RunScope, first: string | null): Promise<Part[]> {
  const chain: Part[] = []
  for (let key = first; key !== null;) {
    const part = await findPart(tx, run.id, key)
    if (part === undefined) break
    chain.push(part)
    key = part.parent
  }
  return chain
}

async function find(scope: RunScope, needs: Needs, event: PlaybookEvent): Promise<NeededRows> {
  const { tx, run } = scope
  const parts: Record<string, Part> = {}
  for (const key of needs.parts ?? []) {
    const part = await findPart(tx, run.id, key)
    if (part !== undefined) parts[key] = part
  }
  const byKey = await listBriefsByKey(tx, run.id, needs.briefs ?? [])
  const ids = needs.briefIds ?? []
  const byId = ids.length === 0 ? [] : await listBriefsById(tx, ids)
  const verdicts = []
  for (const part of needs.verdicts ?? []) verdicts.push(...(await listNewestVerdicts(tx, run.id, part)))
  return {
    documents: await findDocuments(tx, run.id, needs.documents ?? []),
    parts,
    partsBelow: await each(needs.partsBelow, (key) => listPartsBelow(tx, run.id, key)),
    countBelow: await each(needs.countBelow, (key) => countPartsBelow(tx, run.id, key)),
    members: {
      ...(await each(needs.nonVerifiers, (key) => listNonVerifiersOfPart(tx, run.id, key))),
      ...(await each(needs.members, (key) => listBriefsOfPart(tx, run.id, key))),
    },
    verdicts: Object.fromEntries(verdicts.map((verdict) => [verdict.briefId, verdict])),
    briefs: Object.fromEntries(byKey.map((brief) => [brief.key, brief])),
    briefIds: Object.fromEntries(byId.map((brief) => [brief.id, brief])),
    failed: needs.failed === true ? await listFailedBriefs(tx, run.id) : [],
    last: needs.last === true ? await listLastBriefs(tx, run.id) : [],
    ...(needs.work === undefined ? {} : { work: await listWorkKeys(tx, run.id, needs.work) }),
    ...(needs.plan === true ? await findPlan(scope) : {}),
    amendments: needs.amendments === true ? await listAppliedToPaths(tx, run.id) : [],
    groups: await groupsOf(scope, needs.groups),
    unknownPersonalities: (needs.personalities ?? []).filter((name) => !scope.isTalent(name)),
    history: needs.history === true ? await listPastRuns(tx, run) : [],
    ...(needs.person === true ? { needsPerson: await needsPerson(tx, run.id, briefOf(event)) } : {}),
  }
}

const briefOf = (event: PlaybookEvent): string | undefined => ('brief' in event ? event.brief.id : undefined)

/** Finds the newest planner, with the plan of its newest report. */
async function findPlan({ tx, run }: RunScope): Promise<Pick<NeededRows, 'plan'>> {
  const planner = await findPlanner(tx, run.id)
  if (planner === undefined) return {}
  const attempt = planner.attemptId === null ? undefined : await findAttempt(tx, planner.attemptId)
  return { plan: { planner, briefs: attempt?.report?.plan ?? [] } }
}

async function groupsOf({ tx, run }: RunScope, wanted: Needs['groups']): Promise<Record<string, Brief[]>> {
  if (wanted === undefined) return {}
  // Without a prototype, because a group may have the name of an inherited property.
  const found: Record<string, Brief[]> = Object.create(null) as Record<string, Brief[]>
  for (const brief of await listBriefsOfGroups(tx, run.id, wanted)) (found[brief.groupKey as string] ??= []).push(brief)
  return found
}

async function each<T>(
  keys: readonly string[] | undefined,
  get: (key: string) => Promise<T>,
): Promise<Record<string, T>> {
  const found: Record<string, T> = {}
  for (const key of keys ?? []) found[key] = await get(key)
  return found
}

const noTally: Tally = {}

export const nothingFound: NeededRows = {
  documents: {},
  parts: {},
  partsBelow: {},
  countBelow: {},
  members: {},
  verdicts: {},
  briefs: {},
  briefIds: {},
  failed: [],
  last: [],
  amendments: [],
  history: [],
}
