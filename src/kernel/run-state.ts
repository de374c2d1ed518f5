/** The states in which a run is shown. Those of an ended run come last. */
export const runStates = [
  'waits_for_you',
  'planning',
  'running',
  'accepting',
  'waits',
  'paused',
  'stopped',
  'done',
  'failed',
  'cancelled',
] as const

export type RunState = (typeof runStates)[number]

export const endedStates: readonly RunState[] = ['done', 'failed', 'cancelled']

/** `waits_for_you` → `waits for you`: the same words in the page and on the command line. */
export const runStateText = (state: RunState): string => state.replaceAll('_', ' ')
