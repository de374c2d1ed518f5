import type { QuestionOption } from './contract.ts'

/** Options that several questions offer. */
export const choices: Record<'retry' | 'abandon', QuestionOption> = {
  retry: {
    key: 'retry',
    label: 'Try again',
    detail: 'The counter is reset. A free-text answer also resets it and is passed on as guidance.',
  },
  abandon: { key: 'abandon', label: 'Give up', detail: 'The brief fails, and the run with it.' },
}

export const faultOptions: QuestionOption[] = [
  {
    key: 'retry',
    label: 'Try again',
    detail: 'Finished work is checked again; an agent is launched only if nothing was finished.',
  },
  choices.abandon,
]
