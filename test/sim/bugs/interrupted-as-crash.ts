import { endAttempt as ended } from '../../../src/engine/outcome/end.ts'

export * from '../../../src/engine/outcome/end.ts'

export const endAttempt: typeof ended = (scope, brief, attempt, end) =>
  ended(scope, brief, attempt, {
    ...end,
    classified: {
      ...end.classified,
      outcome: end.classified.outcome === 'interrupted' ? 'crash' : end.classified.outcome,
    },
  })
