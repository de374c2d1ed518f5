import { StateLabel } from '../parts/state.tsx'

/** Shows the reason why nothing of a run is at work. The command after it is for a terminal, so it is left out here. */
export function WaitsFor({ reason }: { reason: string | null }) {
  if (reason === null) return null
  return (
    <p className="waits-for">
      <StateLabel state={{ tone: 'waiting', text: `waits for ${withoutCommand(reason)}` }} />
    </p>
  )
}

export const withoutCommand = (reason: string): string => reason.replace(/: agency [^:]*$/, '')
