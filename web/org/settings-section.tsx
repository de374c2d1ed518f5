import { useQuery } from '@tanstack/react-query'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import { Command, Failure, Skeleton } from '../parts/notices.tsx'
import { TextFile } from '../parts/text-file.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { chartQuery, intentQuery, settingsQuery } from './queries.ts'

/** Shows the intent of an organisation, which its agents follow, its basic data and its settings. */
export function SettingsSection({ organisation }: { organisation: OrganisationView }) {
  const { slug } = organisation
  const intent = useQuery({ ...intentQuery(slug), select: (answer) => answer.text })
  const warnings = useQuery(intentQuery(slug)).data?.warnings ?? []
  const settings = useQuery(settingsQuery(slug))
  return (
    <div className="columns">
      <TextFile file={intent} name="Intent">
        {warnings.map((warning) => (
          <p key={warning} className="muted">
            {warning}
          </p>
        ))}
      </TextFile>
      <div className="part-stack">
        <About organisation={organisation} />
        <section className="part">
          <h2>Settings</h2>
          {settings.isPending && <Skeleton lines={8} label="the settings" />}
          {settings.isError && settings.data === undefined && (
            <Failure error={settings.error} retry={() => void settings.refetch()} name="The settings" />
          )}
          {settings.data !== undefined && (
            <>
              <dl className="pairs">
                {settings.data.map((setting) => (
                  <div key={setting.key}>
                    <dt>
                      <code>{setting.key}</code>
                    </dt>
                    <dd>
                      {setting.isDefault ? (
                        <>
                          {setting.value} <span className="muted">default</span>
                        </>
                      ) : (
                        <>
                          <b>{setting.value}</b> <span className="muted">default {setting.default}</span>
                        </>
                      )}
                    </dd>
                  </div>
                ))}
              </dl>
              <Command text={`agency org set --org ${slug} governance enforce`} />
            </>
          )}
        </section>
      </div>
    </div>
  )
}

function About({ organisation }: { organisation: OrganisationView }) {
  const { slug, leadPositionId } = organisation
  const seats = useQuery(chartQuery(slug)).data?.seats
  const lead = seats?.find((seat) => seat.positionId === leadPositionId)
  return (
    <section className="part">
      <h2>Organisation</h2>
      {organisation.description !== '' && <p className="reason">{organisation.description}</p>}
      <dl className="pairs">
        <div>
          <dt>Purpose</dt>
          <dd>{organisation.purpose}</dd>
        </div>
        <div>
          <dt>Slug</dt>
          <dd>
            <code>{slug}</code>
          </dd>
        </div>
        <div>
          <dt>Lead</dt>
          <dd>
            {leadPositionId === null ? (
              <span className="muted">none; the built-in lead acts</span>
            ) : (
              <Link to={addresses.seat(slug, leadPositionId)}>{lead?.title ?? `seat ${leadPositionId}`}</Link>
            )}
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Ago at={organisation.createdAt} />
          </dd>
        </div>
      </dl>
    </section>
  )
}
