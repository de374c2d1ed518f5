import { useQueryClient } from '@tanstack/react-query'

import { operations } from '../../src/operations/all.contract.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { keys } from '../queries.ts'
import { addresses, navigate } from '../router.tsx'
import { useOperation } from '../use-operation.ts'

/** Starts a demonstration and opens its run. */
export function PlayDemo({ names = ['liar', 'tiered'] }: { names?: readonly (keyof typeof demos)[] }) {
  const queries = useQueryClient()
  const play = useOperation(operations.demo.play, async ({ id }) => {
    await queries.invalidateQueries({ queryKey: keys.runs })
    navigate(addresses.run(id))
  })
  return (
    <>
      <ul className="plain demos">
        {names.map((name) => (
          <li key={name}>
            <button type="button" disabled={play.isPending} onClick={() => play.perform({ name })}>
              {demos[name].button}
            </button>
            <span className="muted">{demos[name].about}</span>
          </li>
        ))}
      </ul>
      {play.isError && <ErrorLine error={play.error} />}
    </>
  )
}

const demos = {
  liar: {
    button: 'Watch the agent that lied',
    about: 'About 20 seconds, simulated: an agent claims twice to be done, and the evidence says otherwise.',
  },
  tiered: {
    button: 'Watch five tiers at work',
    about: 'About a minute, simulated: a team plans, designs, builds, verifies and merges.',
  },
} as const
