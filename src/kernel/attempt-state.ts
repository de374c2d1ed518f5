type Status = 'launching' | 'running' | 'reported' | 'examining' | 'ended'

const states: Record<Status, string> = {
  launching: 'launching',
  running: 'running',
  reported: 'waits for its check',
  examining: 'being checked',
  ended: 'ended',
}

/** Returns the state of an attempt in words for a screen: its outcome, once it has one. */
export const attemptText = ({ outcome, status }: { outcome: string | null; status: Status }): string =>
  outcome ?? states[status]

/** Reports whether the agent of an attempt is at work: from its end on, only its evidence is checked. */
export const isAgentAtWork = ({ status }: { status: Status }): boolean => status === 'launching' || status === 'running'
