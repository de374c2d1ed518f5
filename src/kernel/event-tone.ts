/** Four tones have a colour, each with its own shape; `idle` and `off` are grey. */
export type Tone = 'waiting' | 'working' | 'good' | 'bad' | 'idle' | 'off'

/** The tones of the kinds of event; every other kind is idle. */
export const eventTones: Readonly<Record<string, Tone>> = {
  spawned: 'working',
  assigned: 'working',
  completed: 'good',
  session_complete: 'good',
  gate_pending: 'waiting',
  gate_paused: 'waiting',
  gate_approved: 'good',
  gate_resumed: 'good',
  gate_rejected: 'bad',
  question_asked: 'waiting',
  question_answered: 'good',
  budget_warning: 'waiting',
  provider_held: 'waiting',
  stop_set: 'bad',
  escalated: 'waiting',
  pr_opened: 'waiting',
  branch_merged: 'good',
  merged: 'good',
  merge_conflict: 'bad',
  exec_started: 'working',
  failed: 'bad',
  declined: 'bad',
  retried: 'working',
  brief_cancelled: 'off',
}

/**
 * Returns the tone of a log line, which the page and the terminal share. The engine puts the sign into its own messages;
 * messages of agents do not affect the tone.
 */
export function lineTone(line: { kind: string; code: string | null; by: string; message: string }): Tone {
  if (line.kind === 'log') return 'idle'
  if (line.code === 'FAIL' || (line.kind === 'evidence_checked' && line.message.includes('✗'))) return 'bad'
  if (line.kind === 'verdict') return line.message.startsWith('pass') ? 'good' : 'bad'
  if (/^(evidence_checked|run_status)$/.test(line.kind) && line.message.includes('✓')) return 'good'
  return eventTones[line.kind] ?? 'idle'
}
