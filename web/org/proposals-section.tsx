import { useQuery } from '@tanstack/react-query'

import type { PlannedChange } from '../../src/org/document/contract.ts'
import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import type { Proposal } from '../../src/org/proposals/contract.ts'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { type State, StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { counted, humanise } from '../text.ts'
import { DecideProposal } from './decide-proposal.tsx'
import { chartQuery, proposalsQuery } from './queries.ts'
import { type Titles, titlesOf } from './seat-labels.ts'

/** Lists proposals to change the structure, open ones first, each with buttons to decide it. */
export function ProposalsSection({ organisation: { slug } }: { organisation: OrganisationView }) {
  const proposals = useQuery(proposalsQuery(slug))
  const seats = useQuery(chartQuery(slug)).data?.seats ?? []
  if (proposals.data === undefined)
    return proposals.isError ? (
      <Failure error={proposals.error} retry={() => void proposals.refetch()} name="The proposals" />
    ) : (
      <Skeleton lines={5} label="the proposals" />
    )
  const titles = titlesOf(seats)
  const open = proposals.data.filter((each) => each.status === 'open')
  const decided = proposals.data.filter((each) => each.status !== 'open').toReversed()
  return (
    <>
      {open.length === 0 && (
        <Empty
          title="No open proposals"
          command={`agency org export --org ${slug} > org.yaml && agency org propose --file org.yaml --reason "…"`}
        >
          Agents without the right to change the structure propose a changed document to the AR Director or to you.
          Propose one:
        </Empty>
      )}
      {open.length > 0 && (
        <ul className="plain cards">
          {open.map((proposal) => (
            <ProposalCard key={proposal.proposalId} proposal={proposal} titles={titles} />
          ))}
        </ul>
      )}
      {decided.length > 0 && (
        <section className="part">
          <h2>Decided proposals</h2>
          <ul className="plain cards">
            {decided.map((proposal) => (
              <ProposalCard key={proposal.proposalId} proposal={proposal} titles={titles} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const states: Record<Proposal['status'], State> = {
  open: { tone: 'waiting', text: 'open' },
  applied: { tone: 'good', text: 'applied' },
  rejected: { tone: 'off', text: 'rejected' },
}

function ProposalCard({ proposal, titles }: { proposal: Proposal; titles: Titles }) {
  const changes = proposal.changes.filter((change) => change.action !== 'unchanged')
  return (
    <li className="card proposal" data-proposal={proposal.proposalId}>
      <p className="facts">
        <StateLabel state={states[proposal.status]} />
        <span className="muted">
          proposal {proposal.proposalId} by {proposal.proposedBy}, <Ago at={proposal.createdAt} />
        </span>
        {proposal.decidedAt !== null && (
          <span className="muted">
            {proposal.status} by {proposal.decidedBy}, <Ago at={proposal.decidedAt} />
          </span>
        )}
      </p>
      <p className="reason">{proposal.reason}</p>
      {proposal.answer !== null && <p className="muted">Answer: {proposal.answer}</p>}
      <details open={proposal.status === 'open' && changes.length <= 30}>
        <summary>{counted(changes.length, 'change')}</summary>
        {changes.length === 0 ? (
          <p className="muted">The proposal changes nothing.</p>
        ) : (
          <ul className="plain planned">
            {changes.slice(0, 200).map((change, index) => (
              <ChangeItem key={index} change={change} titles={titles} />
            ))}
          </ul>
        )}
        {changes.length > 200 && <p className="muted">and {changes.length - 200} more</p>}
      </details>
      {proposal.status === 'open' && <DecideProposal proposal={proposal} />}
    </li>
  )
}

const actionLabels: Record<PlannedChange['action'], string> = {
  create: 'new',
  update: 'changed',
  unchanged: 'unchanged',
  conflict: 'conflict',
}

function ChangeItem({ change, titles }: { change: PlannedChange; titles: Titles }) {
  const isNew = change.action === 'create'
  const title = change.entity === 'position' || change.entity === 'assignment' ? titleIn(change.label, titles) : null
  return (
    <li data-action={change.action}>
      <span className={change.action === 'conflict' ? 'tone-bad action' : 'action'}>{actionLabels[change.action]}</span>
      <span className="grow">
        <b>
          {change.entity === 'position' ? 'seat' : change.entity} {isNew ? change.note : title}
        </b>{' '}
        {!isNew && <span className="muted">{change.label}</span>}
        {change.fields.map((field) => (
          <span key={field.field} className="field">
            {humanise(field.field)}: <Value text={field.from} removed /> {field.from !== null && '→ '}
            <Value text={field.to} />
          </span>
        ))}
        {!isNew && change.note !== null && <span className="field muted">{change.note}</span>}
      </span>
    </li>
  )
}

/** Returns the title of the seat that a label such as `position_id 4` names. */
const titleIn = (label: string, titles: Titles): string | null =>
  titles.get(Number(/^position_id (\d+)$/.exec(label)?.[1])) ?? null

function Value({ text, removed = false }: { text: string | null; removed?: boolean }) {
  if (text === null) return removed ? null : <i>none</i>
  return removed ? <del>{text}</del> : <ins>{text}</ins>
}
