import type { ReactNode } from 'react'
import { z } from 'zod'

import {
  Architecture,
  type Component,
  Conflict,
  DomainBoundaries,
  IntegrationSummary,
  type InterfaceContract,
  Proposal,
  SharedAssumptions,
} from '../../src/playbooks/tiered/contract.ts'
import { Columns } from '../parts/columns.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { LongList } from '../parts/long-list.tsx'
import { LongTable } from '../parts/long-table.tsx'
import { RichText } from '../parts/rich-text.tsx'
import { Sign } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { counted } from '../text.ts'
import { documentsBelow, documentsOfAuthors, newestDocument } from './documents.ts'
import { Source } from './source.tsx'
import type { Team } from './team.ts'

const Conflicts = z.object({ conflicts: z.array(Conflict) })

/** Shows the results of T2: domain boundaries, shared assumptions, proposals and the final architecture. */
export function ArchitectureView({ inspection, team }: { inspection: Inspection; team: Team }) {
  const architectures = documentsOfAuthors(inspection, 'canonical_architecture', Architecture)
  const boundaries = newestDocument(inspection, 'domain_boundaries', DomainBoundaries)
  const assumptions = newestDocument(inspection, 'shared_assumptions', SharedAssumptions)
  const proposals = [...documentsBelow(inspection, 'architecture_proposal/', Proposal)]
  const conflicts = [...documentsBelow(inspection, 'conflicts/', Conflicts)]
  const summary = newestDocument(inspection, 'integration_summary', IntegrationSummary)
  const isEmpty = architectures.length + proposals.length === 0 && boundaries === null
  if (isEmpty)
    return (
      <p className="none muted">
        {team.hasT2
          ? 'No architecture yet: the lead defines the domain boundaries first.'
          : 'This run has no architecture: none of its workstreams goes through T2.'}
      </p>
    )
  return (
    <div className="scrolls paper" tabIndex={0} role="region" aria-label="Architecture">
      {summary !== null && (
        <section className="part">
          <h2>Integration summary</h2>
          {summary.content !== null && (
            <>
              <RichText text={summary.content.summary} />
              <Lines title="Concerns" lines={summary.content.concerns} />
            </>
          )}
          <Source of={summary} />
        </section>
      )}
      {architectures.map((read, index) => (
        <section key={read.artifact.id} className="part">
          <h2>
            Canonical architecture
            {architectures.length > 1 && <span className="muted"> of wave {index + 1}</span>}
          </h2>
          {read.content !== null && <Canonical architecture={read.content} />}
          <Source of={read} />
        </section>
      ))}
      {boundaries !== null && (
        <section className="part">
          <h2>Domain boundaries</h2>
          {boundaries.content !== null && (
            <LongTable
              label="Domain boundaries"
              columns={{ Domain: '', Owns: '', 'Does not own': '', Interfaces: '' }}
              rows={boundaries.content.domains}
              keyOf={({ domain }) => domain}
              height={60}
              renderCells={({ domain, owns, excludes, interfaces }) => (
                <>
                  <td>
                    <b>{domain}</b>
                  </td>
                  <ListCell name="owns" lines={owns} />
                  <ListCell name="does not own" lines={excludes} />
                  <ListCell name="interfaces" lines={interfaces} />
                </>
              )}
            />
          )}
          <Source of={boundaries} />
        </section>
      )}
      {assumptions !== null && (
        <section className="part">
          <h2>Shared assumptions</h2>
          {assumptions.content !== null && <Assumptions of={assumptions.content} />}
          <Source of={assumptions} />
        </section>
      )}
      {conflicts.map(([wave, read]) => (
        <section key={wave} className="part">
          <h2>
            Conflicts <span className="muted">of wave {wave}, found by the newest synthesis</span>
          </h2>
          <ul className="plain">
            {(read.content?.conflicts ?? []).map(({ workstreams, about }, index) => (
              <li key={index} className="evidence">
                <Sign tone="waiting" />
                <div className="grow">
                  <p>
                    <b>{workstreams.join(', ')}</b>: {about}
                  </p>
                </div>
              </li>
            ))}
          </ul>
          <Source of={read} />
        </section>
      ))}
      {proposals.length > 0 && (
        <section className="part">
          <h2>
            Proposals <span className="muted">of the specialists, by workstream</span>
          </h2>
          <ul className="plain">
            <LongList items={proposals}>
              {([stream, read]) => (
                <li key={stream} className="evidence">
                  <div className="grow">
                    <Disclosure summary={proposalLine(stream, read.content)}>
                      {() => (
                        <>
                          {read.content !== null && <ProposalDetail proposal={read.content} />}
                          <Source of={read} />
                        </>
                      )}
                    </Disclosure>
                  </div>
                </li>
              )}
            </LongList>
          </ul>
        </section>
      )}
    </div>
  )
}

const proposalLine = (stream: string, proposal: Proposal | null): ReactNode => (
  <>
    <b>{stream}</b>{' '}
    {proposal !== null && (
      <span className="muted">
        {counted(proposal.components.length, 'component')}, {counted(proposal.t3_squads.length, 'squad')}
        {proposal.open_conflicts.length > 0 && `, ${counted(proposal.open_conflicts.length, 'open conflict')}`}
      </span>
    )}
  </>
)

function Canonical({ architecture }: { architecture: Architecture }) {
  const slices = Object.entries(architecture.slices)
  return (
    <>
      <RichText text={architecture.overview} />
      <h3>Slices by workstream</h3>
      <ul className="plain">
        <LongList items={slices}>
          {([stream, slice]) => (
            <li key={stream} className="evidence">
              <div className="grow">
                <p className="written">
                  <b>{stream}</b>: {slice.summary}
                </p>
                <Components of={slice.components} />
              </div>
            </li>
          )}
        </LongList>
      </ul>
      <Contracts of={architecture.interface_contracts} />
    </>
  )
}

function ProposalDetail({ proposal }: { proposal: Proposal }) {
  return (
    <div className="proposal">
      <Components of={proposal.components} />
      <Lines title="Decisions" lines={proposal.decisions} />
      <Lines title="Open conflicts" lines={proposal.open_conflicts} />
      <h3>Squads</h3>
      <ul>
        {proposal.t3_squads.map(({ id, name, scope }) => (
          <li key={id}>
            <b>{id}</b> {name}: {scope}
          </li>
        ))}
      </ul>
      <Contracts of={proposal.interface_contracts} />
    </div>
  )
}

const Components = ({ of }: { of: readonly z.infer<typeof Component>[] }) =>
  of.length === 0 ? null : (
    <ul>
      {of.map(({ name, purpose }, index) => (
        <li key={index}>
          <b>{name}</b>: {purpose}
        </li>
      ))}
    </ul>
  )

/** Lists the interface contracts with provider and users. */
function Contracts({ of }: { of: readonly z.infer<typeof InterfaceContract>[] }) {
  if (of.length === 0) return null
  return (
    <>
      <h3>Contracts</h3>
      <table className="proofs">
        <Columns of={{ Contract: '', 'From → to': '', Promise: '' }} />
        <tbody>
          {of.slice(0, maxContracts).map(({ name, provided_by: from, used_by: to, contract }, index) => (
            <tr key={index}>
              <td>
                <b>{name}</b>
              </td>
              <td>
                {from} → {to.length === 0 ? 'all' : to.join(', ')}
              </td>
              <td className="written">{contract}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {of.length > maxContracts && (
        <p className="muted">Only the first {maxContracts} are listed; the JSON contains all of them.</p>
      )}
    </>
  )
}

const maxContracts = 200

function Assumptions({ of }: { of: SharedAssumptions }) {
  const parts: [string, readonly string[]][] = [
    ['Authentication', of.auth_approach === '' ? [] : [of.auth_approach]],
    ['Data formats', of.data_formats],
    ['API patterns', of.api_patterns],
    ['Conventions', of.conventions],
    ['Constraints', of.constraints],
  ]
  return (
    <dl className="summary-parts">
      {parts
        .filter(([, lines]) => lines.length > 0)
        .map(([name, lines]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <ul className="plain">
                {lines.map((line, index) => (
                  <li key={index} className="written">
                    {line}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
    </dl>
  )
}

const Lines = ({ title, lines }: { title: string; lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
    </>
  )

const ListCell = ({ name, lines }: { name: string; lines: readonly string[] }) => (
  <td data-name={name}>
    {lines.length === 0 ? (
      <span className="muted">–</span>
    ) : (
      <ul className="plain">
        {lines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
    )}
  </td>
)
