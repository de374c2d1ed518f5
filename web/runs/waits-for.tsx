import type { RunStanding } from '../../src/work/runs/contract.ts'
import { type State, StateLabel } from '../parts/state.tsx'
import { counted } from '../text.ts'

/** Shows the reason why nothing of a run is at work, or that decisions wait while other briefs go on. */
export function WaitsFor({ standing }: { standing: RunStanding }) {
  const state = waitState(standing)
  if (state === null) return null
  return (
    <p className="waits-for">
      <StateLabel state={state} />
    </p>
  )
}

/** The command at the end of a reason is for a terminal, so it is left out here. */
export function waitState({ state, decisions, waitsFor }: RunStanding): State | null {
  if (waitsFor !== null)
    return { tone: state === 'waits' ? 'idle' : 'waiting', text: `waits for ${withoutCommand(waitsFor)}` }
  if (decisions === 0) return null
  return {
    tone: 'waiting',
    text: `${counted(decisions, 'decision')} ${decisions === 1 ? 'waits' : 'wait'} for you; other briefs go on`,
  }
}

export const withoutCommand = (reason: string): string => reason.replace(/: agency [^:]*$/, '')
