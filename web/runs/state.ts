import type { RunStatus } from '../../src/work/runs/contract.ts'
import type { State, Tone } from '../parts/state.tsx'

const runTones: Record<RunStatus, Tone> = {
  planning: 'working',
  running: 'working',
  gated: 'waiting',
  paused: 'waiting',
  accepting: 'waiting',
  done: 'good',
  failed: 'bad',
  cancelled: 'off',
}

export const runState = (status: RunStatus): State => ({ tone: runTones[status], text: status })
