import { refusal } from '../../kernel/errors.ts'
import type { Run } from './contract.ts'

/** The goal of everything below it never changes: another goal needs another run. */
export function checkAnchor<R extends Pick<Run, 'id' | 'goalAnchor'>>(run: R, wanted: string): R {
  if (wanted === run.goalAnchor) return run
  throw refusal('illegal_transition', `the goal of run ${run.id} cannot be changed`, {
    hint: 'Cancel it and start another with "agency run <goal>".',
    data: { goal_anchor: run.goalAnchor },
  })
}
