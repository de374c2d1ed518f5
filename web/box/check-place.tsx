import { type CheckedIn, checkedInText, checkedInWarning } from '../../src/kernel/checked-in.ts'
import { Sign } from '../parts/state.tsx'

/** Names the place where evidence was checked, unless a warning names it. */
export const CheckPlace = ({ place }: { place: CheckedIn | null }) =>
  place === null || checkedInWarning(place) !== null ? null : <span className="label">{checkedInText[place]}</span>

/** Warns of places that prove less than a fresh checkout. */
export function CheckWarnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <ul className="plain warnings">
      {warnings.map((warning) => (
        <li key={warning}>
          <Sign tone="waiting" />
          <span>{warning}</span>
        </li>
      ))}
    </ul>
  )
}

export function CheckWarning({ place }: { place: CheckedIn | null }) {
  const warning = checkedInWarning(place)
  return warning === null ? null : <CheckWarnings warnings={[warning]} />
}
