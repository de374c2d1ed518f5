import { listStreamEvents, newestSeq } from '../../events/store.ts'
import type { Event, EventKind } from '../../events/contract.ts'
import { redactDeeply } from '../../secrets/redact.ts'
import type { ArtifactView } from '../artifacts/contract.ts'
import type { RunResult } from '../run-results/contract.ts'
import { readResult, type RunResultDeps } from '../run-results/read.ts'
import { type Beginning, contentOf } from './content.ts'
import type { Report } from './contract.ts'
import { htmlOf } from './html.ts'
import { markdownOf } from './markdown.ts'

export interface ReportDeps extends RunResultDeps {
  /** Reads the first lines of a file of a run. */
  readonly showFile: (
    artifactId: string,
    part: { from: number; lines: number },
  ) => Promise<Pick<ArtifactView, 'problem' | 'kind' | 'part'>>
}

export type Reports = ReturnType<typeof createReports>

const shownClaims = 100
const shownEvents = 100
const shownFiles = 10
const shownLines = 40
/** Files of a larger run are named and not read: looking for each takes the longer the larger the run is. */
const readsUpTo = 500

/** The events that a reader without the log wants to know. */
const mainEvents: EventKind[] = [
  'run_created',
  'run_status',
  'gate_pending',
  'gate_approved',
  'gate_rejected',
  'question_asked',
  'question_answered',
  'failed',
  'merge_conflict',
  'proof_ended',
  'pr_opened',
  'merged',
  'pr_closed',
  'plan_amended',
  'path_amendment',
  'loop_detected',
]

export function createReports(deps: ReportDeps) {
  const { db, clock } = deps

  /** Returns the oldest and the newest of these events, and reports whether there are more between them. */
  async function timelineOf(runId: string): Promise<{ events: Event[]; hasGap: boolean }> {
    const wanted = { kind: mainEvents, level: 'normal', limit: shownEvents } as const
    return db.read(async (tx) => {
      const stream = `run:${runId}` as const
      const events = await listStreamEvents(tx, stream, wanted)
      const last = events.at(-1)?.seq ?? 0
      if (events.length < shownEvents) return { events, hasGap: false }
      const after = Math.max(last, (await newestSeq(tx, stream)) - 2 * shownEvents)
      return {
        events: [...events, ...(await listStreamEvents(tx, stream, { ...wanted, after }))],
        hasGap: after > last,
      }
    })
  }

  async function beginningsOf({ files, total }: RunResult): Promise<Beginning[]> {
    if (total > readsUpTo) return []
    const found: Beginning[] = []
    for (const { artifactId, path } of files.filter((file) => file.artifactId !== null).slice(0, shownFiles))
      found.push({ path, ...(await beginningOf(artifactId as string)) })
    return found
  }

  async function beginningOf(artifactId: string): Promise<Omit<Beginning, 'path'>> {
    const { problem, kind, part } = await deps.showFile(artifactId, { from: 0, lines: shownLines })
    if (part === null) return { text: null, remark: `it cannot be read: ${problem}` }
    if (kind !== 'text' || part.encoding !== 'utf8') return { text: null, remark: `not text (${kind})` }
    return { text: part.content, remark: part.next === null ? null : `the first ${shownLines} lines at most` }
  }

  return {
    /** Makes the report of a run, bounded however large the run is. */
    async make(prefix: string, format: 'html' | 'markdown'): Promise<Report> {
      const result = await readResult(deps, prefix, { offset: 0, limit: shownClaims })
      const { id } = result.run
      const content = contentOf(
        // The texts of agents were redacted when they were stored, those of files were not.
        redactDeeply({
          result,
          beginnings: await beginningsOf(result),
          timeline: await timelineOf(id),
          madeAt: clock.at(),
        }),
      )
      return format === 'html'
        ? { runId: id, fileName: `${id}.html`, text: htmlOf(content) }
        : { runId: id, fileName: `${id}.md`, text: markdownOf(content) }
    },
  }
}
