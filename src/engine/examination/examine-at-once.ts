import { findProgress, type Progress } from '../../work/attempts/store.ts'
import { classifyEnd, endingOf } from '../attempt/classify-end.ts'
import type { Conclusion, EarlyEnd } from '../attempt/record-end.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { examine } from './examine.ts'

/** More files are examined after the report was recorded. */
const maxFiles = 16
/** An examination that takes longer begins again after the report was recorded: large files, or a slow disk. */
const maxMs = 250

/**
 * Examines the work of an agent before its end is recorded, so that both are one transaction, if that takes no time to
 * speak of: nothing is run, copied or collected, and a few files are looked at. Resolves to null if the report is to be
 * recorded first, as always when the examination may take long, when it fails, and when the attempt was stopped.
 */
export async function examineAtOnce(
  deps: EngineDeps,
  { run, brief, attempt }: Claimed,
  conclusion: Conclusion,
): Promise<EarlyEnd | null> {
  if (conclusion.stopped !== null || conclusion.reason !== undefined || run.repository !== null) return null
  if (!brief.evidence.every(({ kind }) => kind === 'file' || kind === 'artifact')) return null
  try {
    const { reports: brought } = conclusion
    // If both exist, the end is recorded without this examination, which then looked at the wrong report.
    const sent = brought.length === 0 ? await findSent(deps, attempt.id) : null
    const { report: sentReport = null, contradiction = null } = sent ?? {}
    const classified = classifyEnd(conclusion, { kind: brief.kind, brought, sent: sentReport, contradiction })
    const ending = endingOf(classified, conclusion)
    const { report } = classified
    if (ending === null || report === null || brief.evidence.length + report.outputs.length > maxFiles) return null
    const examined = await withinTime(deps, (signal) =>
      examine(deps, { run, brief, attempt: { ...attempt, ending, report } }, signal),
    )
    if (examined === null || 'trouble' in examined) return null
    return { classified, sent: sentReport, end: { ...examined, ended: conclusion.ended } }
  } catch (error) {
    deps.log.warn('the evidence of an attempt could not be checked at once', {
      attempt: attempt.id,
      error: String(error),
    })
    return null
  }
}

const findSent = ({ db }: EngineDeps, attemptId: string): Promise<Progress | undefined> =>
  db.read((tx) => findProgress(tx, attemptId))

/** Resolves to null after the maximum time; the work is told by its signal. */
async function withinTime<T>({ clock }: EngineDeps, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  const aborted = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const cancel = clock.after(maxMs, () => {
    aborted.abort()
    resolve(null)
  })
  try {
    return await Promise.race([work(aborted.signal), late])
  } catch (error) {
    if (aborted.signal.aborted) return null
    throw error
  } finally {
    cancel()
  }
}
