import type { Attempt } from '../../src/work/attempts/contract.ts'
import { Sign } from '../parts/state.tsx'
import { figure } from '../text.ts'

/** Shows whether an attempt was confined to its workspace. */
export const BoxLabel = ({ boxed }: { boxed: boolean }) => (
  <span
    className="label"
    title={
      boxed
        ? 'The agent ran in a sandbox that it cannot leave'
        : 'The agent ran without a sandbox, with the daemon’s own rights'
    }
  >
    {boxed ? 'boxed' : 'not boxed'}
  </span>
)

/** Shows the peak resource use of an attempt. */
export function ResourceUse({ used }: { used: Attempt['used'] }) {
  if (used === null) return null
  return (
    <span className="figure" title="Peak use, as measured">
      {figure(Math.ceil(used.memoryMb))} MB memory, {figure(used.processes)}{' '}
      {used.processes === 1 ? 'process' : 'processes'}, {figure(Math.ceil(used.diskMb))} MB disk
    </span>
  )
}

const maxDenied = 5

/** Lists the actions that an attempt was denied. */
export function DeniedList({ denied }: { denied: Attempt['denied'] }) {
  if (denied.length === 0) return null
  return (
    <ul className="plain warnings">
      {denied.slice(0, maxDenied).map(({ what, rule }, index) => (
        <li key={index} title={rule}>
          <Sign tone="waiting" />
          <span>
            Denied: <code>{what}</code>
          </span>
        </li>
      ))}
      {denied.length > maxDenied && <li>and {denied.length - maxDenied} more</li>}
    </ul>
  )
}
