import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { isOperators } from '../../work/questions/resolution.contract.ts'
import type { Question, Rung as QuestionRung } from '../../work/questions/contract.ts'
import type { Decision, Playbook, PlaybookEvent, View } from '../contract.ts'
import { addStep } from './base-steps.ts'
import { dataOfBrief } from './contract.ts'
import { escalationsOf, ladderAbove, pathOf, refOf, resolveStep, type Rung, stuckOf } from './escalate-ladder.ts'

/** The tiers above a brief, as the rungs of its questions; each answer from a tier starts the next question one higher. */
export const ladder: NonNullable<Playbook['ladder']> = (brief) =>
  brief.part === null ? [] : rungsOf(brief, ladderAbove(brief, pathOf(brief)).slice(escalationsOf(brief)))

export const rungsOf = (brief: Brief, rungs: readonly Rung[]): QuestionRung[] =>
  rungs.map((rung) => ({ kind: 'tier', name: refOf(rung, dataOfBrief(brief).workstream), positionId: null }))

/** Gives a question to a tier: a step that answers it, replaces the work, or hands the question up. */
export function onRaised(
  view: View,
  { question, rung: offered, brief, reason }: Extract<PlaybookEvent, { kind: 'question_raised' }>,
): readonly Decision[] {
  const { workstream } = dataOfBrief(brief)
  const rung = ladderAbove(brief, pathOf(brief)).find((each) => refOf(each, workstream) === offered.name)
  if (rung === undefined || brief.part === null || question.class === null) return []
  const text = question.text.replace(`${brief.key} is stuck: `, '')
  const step = resolveStep({
    // A brief that continues with its finished work is asked about again in the same attempt.
    key: `resolve:${brief.key}:${question.id}`,
    rung,
    ladder: [],
    part: brief.part,
    workstream,
    ownerId: brief.id,
    about: { kind: 'brief', key: brief.key, id: brief.id, class: question.class, question: question.id },
    title: `Resolve ${brief.title}`,
    objective: `"${shorten(brief.title, 200)}" cannot continue: ${shorten(text, 2_000)}`,
    inputs: {
      stuck: stuckOf(brief),
      reason: shorten(text, 5_000),
      ...(reason === undefined ? {} : { handed_up_because: shorten(reason, 5_000) }),
      ...choiceOf(question),
      tier_path: pathOf(brief),
    },
  })
  return [addStep(view, { ...step, takes: question.id })]
}

/** The options of the agent that asked. Those that end the run or grant a right stay with the operator. */
function choiceOf({ class: cause, options, recommendation }: Question): Readonly<Record<string, unknown>> {
  const open = options.filter(({ key }) => !isOperators(key))
  if (cause !== 'asked' || open.length < options.length || open.length === 0) return {}
  return { options: open, recommendation }
}
