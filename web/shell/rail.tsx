import { useQuery } from '@tanstack/react-query'

import { usePendingCount } from '../decisions/use-count.ts'
import { OrganisationSelect } from '../org/select.tsx'
import { statusQuery } from '../queries.ts'
import { addresses, Link, type Route } from '../router.tsx'
import { counted, figure } from '../text.ts'
import { useWaitingTitle } from '../parts/title.ts'

/** Navigation between the pages, with counts. On a phone it is at the bottom, within reach of a thumb. */
export function Rail({ route, onSearch }: { route: Route; onSearch: () => void }) {
  const waits = usePendingCount()
  useWaitingTitle(waits)
  const status = useQuery(statusQuery)
  const runs = status.data?.running.runs ?? 0
  return (
    <nav className="rail" aria-label="Main">
      <span className="mark" aria-hidden="true">
        Agency
      </span>
      <OrganisationSelect route={route} />
      <Link
        to={addresses.newRun}
        className="button new-run"
        aria-current={route.page === 'new' ? 'page' : undefined}
        title="Compose and start a run (n)"
      >
        <span className="grow">New run</span>
        <kbd>n</kbd>
      </Link>
      <ul className="plain">
        <Item
          to={addresses.inbox}
          name="Inbox"
          icon="inbox"
          here={route.page === 'inbox'}
          count={waits}
          of={`${counted(waits, 'decision')} pending`}
          tone="waiting"
        />
        <Item
          to={addresses.runs}
          name="Runs"
          icon="runs"
          here={['runs', 'run', 'proof', 'artifact', 'prompt'].includes(route.page)}
          count={runs}
          of={`${figure(runs)} running`}
          tone="working"
        />
        <Item
          to={addresses.pullRequests}
          name="Pull requests"
          icon="pullRequests"
          here={route.page === 'pull-requests'}
          rare
        />
        <Item
          to={addresses.organisations}
          name="Organisation"
          icon="organisation"
          here={['organisations', 'org', 'seat', 'personas', 'persona'].includes(route.page)}
        />
        <Item
          to={addresses.workspaces}
          name="Workspaces"
          icon="workspaces"
          here={route.page === 'workspaces' || route.page === 'workspace'}
        />
        <Item to={addresses.events} name="Events" icon="events" here={route.page === 'events'} />
        <Item to={addresses.settings} name="Settings" icon="settings" here={route.page === 'settings'} />
      </ul>
      <button type="button" className="search" onClick={onSearch} title="Go to a page, run or action (Ctrl-K or /)">
        <Icon name="search" />
        <span className="grow">Go to</span>
        <kbd>Ctrl K</kbd>
      </button>
    </nav>
  )
}

interface ItemProps {
  to: string
  name: string
  icon: keyof typeof icons
  here: boolean
  count?: number
  of?: string
  tone?: 'waiting' | 'working'
  /** Left out on a phone, where the page of runs links to it. */
  rare?: boolean
}

function Item({ to, name, icon, here, count = 0, of, tone, rare }: ItemProps) {
  return (
    <li className={rare === true ? 'rare' : undefined}>
      <Link to={to} aria-current={here ? 'page' : undefined}>
        <Icon name={icon} />
        <span className="grow">{name}</span>
        {count > 0 && (
          <span className={`count tone-${tone}`} title={of}>
            {figure(count)}
            <span className="unseen"> {of?.replace(/^\S+ /, '')}</span>
          </span>
        )}
      </Link>
    </li>
  )
}

const Icon = ({ name }: { name: keyof typeof icons }) => (
  <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={icons[name]} />
  </svg>
)

const icons = {
  inbox: 'M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5h3l1 1.5h3l1-1.5h3',
  runs: 'M3 3.5h4M3 8h4M3 12.5h4M9.5 3.5h3.5M9.5 8h3.5M9.5 12.5h3.5',
  pullRequests:
    'M4 6v7.5M4 2.5a1.5 1.5 0 1 0 .01 0M12 10.5V6.5a2 2 0 0 0-2-2H7.5M9 2.5l-2 2 2 2M12 10.8a1.5 1.5 0 1 0 .01 0',
  organisation: 'M6 1.5h4v3.5H6zM1.5 11h4v3.5h-4zM10.5 11h4v3.5h-4zM8 5v3M3.5 11V8h9v3',
  workspaces: 'M1.5 13V3.5h4.5l1.5 2h7V13z',
  events: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  settings: 'M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.2 3.4v3.2M5.8 9.4v3.2',
  search: 'M7 11.5a4.5 4.5 0 1 1 0-9 4.5 4.5 0 0 1 0 9zM10.3 10.3l3.2 3.2',
}
