import { useQuery } from '@tanstack/react-query'

import type { DemoName } from '../../src/daemon/demos/contract.ts'
import { choicesQuery } from '../composer/queries.ts'
import { Sign } from '../parts/state.tsx'
import { addresses, Link } from '../router.tsx'
import { PlayDemo } from './play.tsx'

/** Leads from a demonstration to the first real run: the agents and repositories that are here, and one button. */
export function Yours({ watched }: { watched?: DemoName }) {
  const choices = useQuery(choicesQuery).data
  if (choices === undefined) return null
  const agents = choices.runtimes.filter(({ simulated }) => !simulated)
  // A program of the visitor's own is no coding agent: it can always be named.
  const hasAgent = agents.some(({ usable, fields }) => usable && fields.every((each) => !each.isCommand))
  const repositories = choices.repositories.slice(0, maxRepositories)
  return (
    <section className="card yours" aria-label="Your first run">
      <h2>That was simulated. Now yours</h2>
      <ul className="plain facts" aria-label="Agents on this machine">
        {agents.map(({ name, title, version, reason, usable: isUsable }) => (
          <li key={name} title={reason ?? undefined}>
            <span className={`stated tone-${isUsable ? 'good' : 'off'}`}>
              <Sign tone={isUsable ? 'good' : 'off'} />
              {title} {isUsable ? version : '(not usable)'}
            </span>
          </li>
        ))}
      </ul>
      {!hasAgent && (
        <p>
          No coding agent can run here yet.{' '}
          <Link to={addresses.newRun}>The form of a new run shows what is missing for each.</Link>
        </p>
      )}
      {repositories.length > 0 && (
        <ul className="plain facts" aria-label="Repositories on this machine">
          <li className="muted">Repositories here:</li>
          {repositories.map(({ path }) => (
            <li key={path}>
              <Link to={`${addresses.newRun}?repo=${encodeURIComponent(path)}`}>
                <code>{path}</code>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p className="facts">
        <Link className="button primary" to={`${addresses.newRun}${firstRun(repositories[0]?.path)}`}>
          Start your first run
        </Link>
        <span className="muted">
          A form opens. It suggests a proof, sets a limit if you want one, and asks before anything is merged.
        </span>
      </p>
      <p className="muted">Or watch another demonstration:</p>
      <PlayDemo names={[watched === 'liar' ? 'tiered' : 'liar']} />
    </section>
  )
}

const maxRepositories = 3

const firstRun = (path: string | undefined): string => (path === undefined ? '' : `?repo=${encodeURIComponent(path)}`)
