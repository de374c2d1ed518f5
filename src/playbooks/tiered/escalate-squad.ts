import { shorten } from '../../kernel/text.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Decision, View } from '../contract.ts'
import { type JointVerdict, dataOfBrief } from './contract.ts'
import { logEscalation, refOf, resolveStep, type Rung } from './escalate-ladder.ts'
import { scopeOf, squadNames } from './base-names.ts'
import { changed, dataOf, type SquadData } from './base-state.ts'
import { addStep, line, log } from './base-steps.ts'

/** Reason that distinguishes the blocks of a joint verdict from those of a single brief. */
export const jointReason = 'the joint verdict is fail'

type CorrectionsOf = (brief: Brief, verdict: JointVerdict) => readonly Correction[]

/** Escalates a squad that cannot repair its work: its failed slices stop, and the tier above its lead decides about all of them. */
export function escalateSquad(
  view: View,
  squad: Part,
  failed: readonly Brief[],
  verdict: JointVerdict,
  correctionsOf: CorrectionsOf,
): readonly Decision[] {
  const { workstream } = squadNames(squad.key)
  const { path, escalations } = dataOf<SquadData>(squad)
  const [rung, ...ladder] = squadLadder(path).slice(escalations)
  const raised = [changed<SquadData>(squad, { escalations: escalations + 1 })]
  const from = path.includes('t3') ? `t3/${workstream}` : `t4/${workstream}`
  const reason = `joint verdict fail: ${shorten(verdict.summary, 300)}`
  const blocks = failed.map((brief): Decision => ({
    kind: 'block_brief',
    brief,
    class: 'bad_output',
    reason: jointReason,
    corrections: correctionsOf(brief, verdict),
  }))
  if (rung === undefined)
    return [
      log(line('T3', 'ESCALATE', `${from}: ${reason}`, { level: 'verbose', workstream }), raised),
      ...blocks,
      ...failed.map((brief): Decision => ({
        kind: 'ask',
        brief,
        class: 'bad_output',
        // Every tier above has answered before.
        ladder: [],
        reason: `${reason} (${correctionsOf(brief, verdict)[0]?.detail ?? ''})`,
      })),
    ]
  return [
    logEscalation({ from, to: refOf(rung, workstream), class: 'verification', reason, tier: 'T3', workstream }, raised),
    ...blocks,
    addStep(
      view,
      resolveStep({
        key: `resolve:${squad.key}:${escalations}`,
        rung,
        ladder,
        part: squad.key,
        workstream,
        ownerId: (failed[0] as Brief).ownerId,
        about: { kind: 'squad', key: squad.key, scopes: failed.map(scopeOf) },
        title: `Resolve the verdict on ${squad.key.slice('sq:'.length)}`,
        objective: `The joint verdict is fail: ${shorten(verdict.summary, 2_000)}`,
        inputs: {
          joint_verdict: verdict,
          tier_path: path,
          stuck: failed.map((brief) => ({
            scope: scopeOf(brief),
            title: brief.title,
            objective: shorten(brief.objective, 2_000),
            files: dataOfBrief(brief).files,
            corrections: correctionsOf(brief, verdict),
          })),
        },
      }),
    ),
  ]
}

const squadLadder = (path: readonly string[]): Rung[] => (path.includes('t2') ? ['t2', 't2_lead', 't1'] : ['t1'])
