import { type State, statusText, type Terminal } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { type RunState, runStateText } from '../../../kernel/run-state.ts'
import type { RunStanding } from '../contract.ts'

const signs: Record<RunState, State> = {
  waits_for_you: 'waiting',
  planning: 'working',
  running: 'working',
  accepting: 'working',
  waits: 'idle',
  paused: 'waiting',
  stopped: 'bad',
  done: 'good',
  failed: 'bad',
  cancelled: 'idle',
}

/** `⏸ waits for you`, with the sign and colour of the dashboard. */
export const runText = (terminal: Terminal, state: RunState): string =>
  statusText(terminal, runStateText(state), signs[state])

/** `3/7`, or `21/21 (1 dropped)`. */
export const progressText = ({ done, total, dropped }: Wire<RunStanding>['progress']): string =>
  `${done}/${total}${dropped === 0 ? '' : ` (${dropped} dropped)`}`
