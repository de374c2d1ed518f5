import type { ReadTx } from '../../db/port.ts'
import { listStreamEvents } from '../../events/store.ts'
import { refusal } from '../../kernel/errors.ts'
import { systemPersona } from '../../kernel/ids.ts'
import { shorten } from '../../kernel/text.ts'
import { findPersona } from '../../org/personas/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { listAllDependencies, listBriefs } from '../briefs/store.ts'
import { findLimitsOfRun } from '../budgets/store.ts'
import { findPullRequestOf } from '../pull-requests/store.ts'
import type { Run } from '../runs/contract.ts'
import { requireRun } from '../runs/find.ts'

/** One piece of the work of an ended run: a brief with the rests that were split from it. */
export interface Piece {
  readonly brief: Brief
  readonly rests: readonly Brief[]
  /** accepted: verified or done; dropped: cancelled on purpose, or replaced, while the run went on. */
  readonly state: 'accepted' | 'dropped' | 'left'
  /** The ids of the pieces that it waited for. */
  readonly after: readonly string[]
}

/** An ended run, as far as another run can continue it. */
export interface Origin {
  readonly run: Run
  readonly pieces: readonly Piece[]
  /** Own limits of its briefs, by id. */
  readonly limits: Awaited<ReturnType<typeof findLimitsOfRun>>
  /** The slugs of the personas that its briefs name, by id. */
  readonly personas: ReadonlyMap<number, string>
  readonly hasLanded: boolean
}

export async function readOrigin(tx: ReadTx, prefix: string): Promise<Origin> {
  const run = await requireRun(tx, prefix)
  if (run.endedAt === null)
    throw refusal('illegal_transition', `run ${run.id} is ${run.status}: only an ended run can be continued`, {
      hint: `Wait for its end with "agency watch ${run.id}", or end it with "agency cancel ${run.id}".`,
      data: { status: run.status },
    })
  const briefs = (await listBriefs(tx, run.id)).filter(({ kind }) => kind === 'work')
  const endings = await endingsOf(tx, run.id)
  const personas = new Map<number, string>()
  for (const id of new Set(briefs.flatMap(({ personaId, verifierId }) => [personaId, verifierId ?? systemPersona]))) {
    const persona = id === systemPersona ? undefined : await findPersona(tx, id)
    if (persona !== undefined) personas.set(id, persona.slug)
  }
  const pullRequest = await findPullRequestOf(tx, run.id)
  return {
    run,
    pieces: piecesOf(briefs, await listAllDependencies(tx, run.id), endings),
    limits: await findLimitsOfRun(tx, run.id),
    personas,
    hasLanded: pullRequest?.status === 'merged',
  }
}

/** Finds a piece by the key or the id of one of its briefs. */
export function requirePiece({ run, pieces }: Origin, name: string): Piece {
  const found = pieces.find(({ brief, rests }) => [brief, ...rests].some(({ id, key }) => id === name || key === name))
  if (found !== undefined) return found
  const keys = pieces.map(({ brief }) => brief.key)
  throw refusal('not_found', `run ${run.id} has no brief "${name}"`, {
    hint: keys.length === 0 ? 'It has no briefs.' : `It has: ${shorten(keys.join(', '), 500)}.`,
    data: { briefs: keys.slice(0, 100) },
  })
}

function piecesOf(
  briefs: readonly Brief[],
  dependencies: readonly { readonly briefId: string; readonly afterId: string }[],
  endings: ReadonlyMap<string, Ending>,
): Piece[] {
  const roots = new Map(briefs.map(({ id, remainderOf }) => [id, remainderOf ?? id]))
  const after = Map.groupBy(dependencies, ({ briefId }) => roots.get(briefId))
  return briefs
    .filter(({ remainderOf }) => remainderOf === null)
    .map((brief) => {
      const rests = briefs.filter(({ remainderOf }) => remainderOf === brief.id)
      const states = [brief, ...rests].map((each) => stateOf(each, endings))
      const waited = (after.get(brief.id) ?? []).map(({ afterId }) => roots.get(afterId))
      return {
        brief,
        rests,
        state: states.every((state) => state === 'accepted')
          ? 'accepted'
          : states[0] === 'dropped'
            ? 'dropped'
            : 'left',
        after: [...new Set(waited.filter((id) => id !== undefined && id !== brief.id))] as string[],
      }
    })
}

/** The last cancellation of a brief: its status before, and whether it was cancelled because its run ended. */
interface Ending {
  readonly from: unknown
  readonly withRun: boolean
}

function stateOf({ id, status }: Brief, endings: ReadonlyMap<string, Ending>): Piece['state'] {
  if (status === 'done' || status === 'verified') return 'accepted'
  if (status !== 'cancelled') return 'left'
  const ending = endings.get(id)
  if (ending?.withRun !== true) return 'dropped'
  // Verified work that waited for the whole result is cancelled with its run.
  return ending.from === 'verified' ? 'accepted' : 'left'
}

const pageSize = 1_000

async function endingsOf(tx: ReadTx, runId: string): Promise<Map<string, Ending>> {
  const endings = new Map<string, Ending>()
  for (let after = 0; ;) {
    const events = await listStreamEvents(tx, `run:${runId}`, { after, kind: ['brief_cancelled'], limit: pageSize })
    for (const { briefId, code, data } of events)
      if (briefId !== null)
        endings.set(briefId, { from: data['from'], withRun: code === null && data['reason'] === undefined })
    if (events.length < pageSize) return endings
    after = (events.at(-1) as { seq: number }).seq
  }
}
