import type { DemoGuide } from '../../src/daemon/demos/contract.ts'
import type { GateView } from '../../src/work/gates/contract.ts'
import { isSimulated } from '../decisions/labels.ts'

/** Tells a visitor where the gates of a demonstration stand; null: its turn has come, and the countdown is shown. */
export function standingOf(
  gate: DemoGuide['gate'],
  gates: readonly Pick<GateView, 'id' | 'status' | 'note' | 'decisions'>[],
): string | null {
  const open = gates.find(({ id }) => id === gate?.id)
  if (open?.decisions?.some(({ status }) => status === 'waiting') === true)
    return 'You decided this gate. Until the decision takes effect you can undo it.'
  if (gate !== null) return null
  const last = gates.findLast(({ status }) => status === 'approved')
  if (last === undefined) return ''
  if (!isSimulated(last.note)) return 'You approved the last gate, and the work continues.'
  return last.note?.includes('no person decided') === true
    ? 'The last gate was approved by the demonstration itself, because no person decided in time.'
    : 'The demonstration approved the last gate itself.'
}
