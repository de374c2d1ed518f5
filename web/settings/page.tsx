import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import type { DaemonStatus } from '../../src/daemon/contract.ts'
import { Keys } from '../help/keys.tsx'
import { useConnection } from '../live/use-live.ts'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { Ago } from '../parts/time.tsx'
import { statusQuery } from '../queries.ts'
import { clockTime, counted } from '../text.ts'
import { Sessions } from './sessions.tsx'
import { TrustedFiles } from './trusted-files.tsx'
import { chooseTheme, themes, useTheme } from '../theme.ts'

export function SettingsPage() {
  const status = useQuery(statusQuery)
  return (
    <>
      <Heading title="Settings" />
      <section className="part">
        <h2>Daemon</h2>
        {status.isPending && <Skeleton lines={7} label="the daemon’s status" />}
        {status.isError && !status.data && (
          <Failure error={status.error} retry={() => void status.refetch()} name="The daemon’s status" />
        )}
        {status.data && <Daemon status={status.data} />}
      </section>
      <section className="part">
        <h2>This browser</h2>
        <ThemeChoice />
      </section>
      <section className="part">
        <h2>Signed-in browsers</h2>
        <Sessions />
      </section>
      <section className="part">
        <h2>Trusted files</h2>
        <TrustedFiles />
      </section>
      <section className="part">
        <h2>Keys</h2>
        <Keys />
      </section>
    </>
  )
}

function Daemon({ status }: { status: DaemonStatus }) {
  const connection = useConnection()
  return (
    <dl className="pairs">
      <Pair name="Connection">
        {'since' in connection ? `${connection.state} since ${clockTime(connection.since)}` : connection.state}
      </Pair>
      <Pair name="Version">{status.version}</Pair>
      <Pair name="Running">
        {counted(status.running.runs, 'run')}, {counted(status.running.agents, 'agent')} (limit {status.running.slots})
      </Pair>
      <Pair name="Box">{status.box}</Pair>
      <Pair name="Store">
        {status.store.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, <code>{status.store.place}</code>
      </Pair>
      <Pair name="Address">
        <code>{status.dashboard}</code>
      </Pair>
      <Pair name="API">
        <code>{status.address}</code>
      </Pair>
      <Pair name="Socket">
        <code>{status.socket}</code>
      </Pair>
      <Pair name="Home">
        <code>{status.home}</code>
      </Pair>
      <Pair name="Process">{status.pid}</Pair>
      <Pair name="Started">
        <Ago at={status.startedAt} />
      </Pair>
    </dl>
  )
}

const Pair = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function ThemeChoice() {
  const chosen = useTheme()
  return (
    <fieldset className="choice">
      <legend>Theme</legend>
      {themes.map((theme) => (
        <label key={theme}>
          <input
            type="radio"
            name="theme"
            value={theme}
            checked={chosen === theme}
            onChange={() => chooseTheme(theme)}
          />
          {theme === 'system' ? 'same as the system' : theme}
        </label>
      ))}
    </fieldset>
  )
}
