import { type RunState, runStateText } from '../../src/kernel/run-state.ts'
import type { RunStanding } from '../../src/work/runs/contract.ts'
import type { State, Tone } from '../parts/state.tsx'
import { counted, figure } from '../text.ts'

const tones: Record<RunState, Tone> = {
  waits_for_you: 'waiting',
  planning: 'working',
  running: 'working',
  accepting: 'working',
  waits: 'idle',
  paused: 'waiting',
  stopped: 'bad',
  done: 'good',
  failed: 'bad',
  cancelled: 'off',
}

export const runState = (state: RunState): State => ({ tone: tones[state], text: runStateText(state) })

/** `3 of 7 briefs done`; briefs that only wait to be accepted are done too. */
export const progressText = ({ done, total, dropped }: RunStanding['progress']): string =>
  `${figure(done)} of ${counted(total, 'brief')} done${dropped === 0 ? '' : `, ${figure(dropped)} dropped`}`
