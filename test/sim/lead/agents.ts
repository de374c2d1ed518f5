import type { LaunchStep } from '../../../src/adapters/runtime/port.ts'
import { seatKey } from '../../../src/work/questions/resolution.contract.ts'
import type { Draw } from '../agents/behaviour.ts'
import type { Random } from '../random.ts'

export const asksLead = (step: LaunchStep): boolean => step.key.startsWith(seatKey)

/** Draws the decision of an agent on the seat that leads: also decisions that only the operator may make. */
export function answerOfLead({ inputs }: LaunchStep, random: Random): unknown {
  const { options = [] } = inputs['question'] as { options?: { key: string }[] }
  const [first] = options
  return random.pick([
    { decision: 'hand_up', reason: 'not mine to say' },
    { decision: 'answer', answer: first?.key ?? 'as the goal says', reason: 'it is ours to say' },
    { decision: 'answer', answer: 'do as you think best', reason: 'either is fine' },
    { decision: 'answer', answer: 'abandon', reason: 'it is hopeless' },
  ])
}

/** Ways to ask that occur only in worlds with a lead. */
export const asking: Readonly<Record<string, Draw>> = {
  'asks in its own words': ({ subject, attempt }, random) => ({
    steps: [{ report: { ...stuck, question: question(`${subject} ${attempt}`, random), via: random.pick(ways) } }],
    outcomes: ['blocked'],
  }),
  'asks a set of questions': ({ subject, attempt }, random) => {
    const questions = Array.from({ length: random.pick([2, 3]) }, (_, index) =>
      question(`${subject} ${attempt} ${'abc'[index]}`, random),
    )
    return { steps: [{ report: { ...stuck, questions, via: random.pick(ways) } }], outcomes: ['blocked'] }
  },
}

const stuck = { status: 'blocked', summary: 'I need a decision' } as const

const ways = ['http', 'file', 'stdout'] as const

/** Two of them share hardly a word. */
const texts = [
  'Which colour shall the roof of the house have?',
  'May old archives be removed before spring?',
  'Who pays the invoice of last month?',
  'Is English enough, or are more languages wanted?',
]

function question(
  about: string,
  random: Random,
): { text: string; options: { key: string; label: string; detail: '' }[] } {
  return {
    text: `${random.pick(texts)} (${about})`,
    options: random.chance(0.5)
      ? []
      : [
          { key: 'left', label: 'Left', detail: '' },
          { key: 'right', label: 'Right', detail: '' },
        ],
  }
}
