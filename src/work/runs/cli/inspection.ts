import type { CliContext } from '../../../cli/context.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { EventLine } from '../../../events/cli.ts'
import { refusal } from '../../../kernel/errors.ts'
import type { Artifact } from '../../artifacts/contract.ts'
import type { Attempt } from '../../attempts/contract.ts'
import type { Brief } from '../../briefs/contract.ts'
import type { Check } from '../../evidence/contract.ts'
import type { GateShown } from '../../gates/contract.ts'
import type { NoteShown } from '../../notes/contract.ts'
import type { Question } from '../../questions/contract.ts'
import type { Verdict } from '../../verdicts/contract.ts'
import type { ModelCost } from '../../spends/contract.ts'
import type { Run } from '../contract.ts'

/** Everything about a run, as the daemon sends it. */
export interface Inspection {
  run: Wire<Run>
  status: string
  briefs: Wire<Brief>[]
  attempts: Wire<Attempt>[]
  evidence: Wire<Check>[]
  artifacts: Wire<Artifact>[]
  gates: Wire<GateShown>[]
  questions: Wire<Question>[]
  verdicts: Wire<Verdict>[]
  notes: Wire<NoteShown>[]
  spends: Wire<ModelCost>[]
  events: EventLine[]
}

export const fetchInspection = (context: CliContext, id: string): Promise<Inspection> =>
  context.api().get<Inspection>(`/runs/${encodeURIComponent(id)}/inspect`)

/** By id, by the beginning of it, or by key. */
export function findBrief(shown: Inspection, wanted: string): Wire<Brief> {
  const exact = shown.briefs.filter((brief) => brief.id === wanted || brief.key === wanted)
  const found =
    exact.length > 0
      ? exact
      : shown.briefs.filter((brief) => brief.id.startsWith(wanted) || brief.id.startsWith(`brf_${wanted}`))
  if (found.length === 1) return found[0] as Wire<Brief>
  if (found.length === 0)
    throw refusal('not_found', `no brief "${wanted}" in ${shown.run.id}`, {
      hint: `Its briefs: ${shown.briefs
        .slice(0, 20)
        .map((brief) => brief.key)
        .join(', ')}`,
    })
  throw refusal('invalid_input', `"${wanted}" is the beginning of ${found.length} briefs`, {
    hint: found
      .slice(0, 5)
      .map((brief) => brief.id)
      .join(', '),
  })
}

export const ofBrief = (whole: Inspection, brief: Wire<Brief>): Inspection => ({
  ...whole,
  briefs: [brief],
  attempts: whole.attempts.filter((attempt) => attempt.brief_id === brief.id),
  evidence: whole.evidence.filter((check) => check.brief_id === brief.id),
  artifacts: whole.artifacts.filter((artifact) => artifact.brief_id === brief.id),
  gates: whole.gates.filter((gate) => gate.boundary === `brief:${brief.id}`),
  questions: whole.questions.filter((question) => question.brief_id === brief.id),
  verdicts: whole.verdicts.filter((verdict) => verdict.brief_id === brief.id),
  notes: whole.notes.filter((note) => note.brief_id === brief.id),
  events: whole.events.filter((event) => event.brief_id === brief.id),
})

export async function briefHistory(context: CliContext, runId: string, briefId: string): Promise<EventLine[]> {
  const found: EventLine[] = []
  for (let after = 0; ;) {
    const { events } = await context
      .api()
      .get<{ events: EventLine[] }>(`/runs/${runId}/events`, { after, limit: 1_000 })
    found.push(...events.filter((event) => event.brief_id === briefId))
    if (events.length < 1_000) return found
    after = events.at(-1)?.seq ?? 0
  }
}
