import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { inserted, updated } from '../../events/change.ts'
import type { Actor, AgentActor } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import { type Governed, type OrgAccess, recordOrgChange } from '../changes.ts'
import type { PlannedChange } from '../document/contract.ts'
import type { Importer } from '../document/import.ts'
import { settingOf } from '../organisations/settings.ts'
import { findPersona } from '../personas/store.ts'
import type { Proposal } from './contract.ts'
import { findProposal, listProposals, nextProposalId, type ProposalRow, proposals } from './store.ts'

export type Proposals = ReturnType<typeof createProposals>

const within: Governed = { data: {}, warnings: [] }

export function createProposals({ db, access, importer }: { db: Db; access: OrgAccess; importer: Importer }) {
  const require = async (tx: ReadTx, proposalId: number): Promise<ProposalRow> => {
    const proposal = await findProposal(tx, proposalId)
    if (proposal === undefined)
      throw notFound('proposal', proposalId, 'List them with "agency org proposals --org … --all".')
    return proposal
  }

  /** Refuses actors that may not decide, and proposals that have been decided already. */
  const requireOpen = async (tx: ReadTx, by: Actor, proposalId: number): Promise<ProposalRow> => {
    const proposal = await require(tx, proposalId)
    if (by.kind === 'agent') await requireDirector(tx, by, proposal)
    if (proposal.status !== 'open')
      throw refusal('illegal_transition', `proposal ${proposalId} was ${proposal.status} by ${proposal.decidedBy}`, {
        ...(proposal.answer === null ? {} : { hint: proposal.answer }),
        data: { status: proposal.status },
      })
    return proposal
  }

  /**
   * Refuses an agent that does not work on the AR Director's seat of that organisation, and one that would decide about
   * its own proposal, unless the organisation is only advised.
   */
  const requireDirector = async (tx: ReadTx, by: AgentActor, proposal: ProposalRow): Promise<void> => {
    await access.checkFence(tx, by)
    const { organisationId, proposedBy } = proposal
    if (!(await access.mayDecide(tx, by, organisationId)))
      throw refusal('forbidden', 'only the AR Director and the operator decide proposals', { hint: waitForAnswer })
    const isOwn = proposedBy === (await nameOf(tx, by))
    if (isOwn && (await settingOf(tx, organisationId, 'governance')) === 'enforce')
      throw refusal('forbidden', 'the operator decides about the AR Director’s own proposals', { hint: waitForAnswer })
  }

  const decide = async (
    tx: Tx,
    by: Actor,
    proposal: ProposalRow,
    decision: Pick<ProposalRow, 'status'> & Partial<Pick<ProposalRow, 'answer' | 'preview'>>,
  ): Promise<ProposalRow> => {
    const patch = { ...decision, decidedBy: await nameOf(tx, by), decidedAt: tx.at }
    const { id, status } = { ...proposal, ...decision }
    const message = `Proposal ${id} ${status} by ${patch.decidedBy}`
    await recordOrgChange(
      tx,
      by,
      within,
      { noun: 'proposal', action: status === 'applied' ? 'apply' : 'reject', message, data: { proposal_id: id } },
      [updated(proposals, proposal, patch)],
    )
    return { ...proposal, ...patch }
  }

  const requireOwn = async (tx: ReadTx, by: AgentActor, organisationId: number): Promise<void> => {
    await access.checkFence(tx, by)
    if ((await access.findOrganisationOfRun(tx, by.runId)) !== organisationId)
      throw refusal('forbidden', 'agents propose changes of their own organisation only', {
        hint: 'The operator proposes changes of other organisations.',
      })
  }

  return {
    async propose(by: Actor, document: string, reason: string): Promise<Proposal> {
      const { organisationId, changes } = await importer.preview(by, document, { force: false, withIntent: false })
      if (organisationId === null)
        throw refusal('invalid_input', 'the document belongs to no organisation of this installation', {
          hint: 'Start with "agency org export --org ORG": a proposal changes an existing organisation.',
        })
      if (changes.every(({ action }) => action === 'unchanged'))
        throw refusal('invalid_input', 'the document changes nothing', {
          hint: 'Edit the output of "agency org export --org ORG"; change the intent with "agency org intent write --org ORG".',
        })
      return db.write([`org:${organisationId}`], async (tx) => {
        if (by.kind === 'agent') await requireOwn(tx, by, organisationId)
        const proposal: ProposalRow = {
          id: await nextProposalId(tx),
          organisationId,
          reason,
          document,
          preview: realChanges(changes),
          status: 'open',
          answer: null,
          proposedBy: await nameOf(tx, by),
          createdAt: tx.at,
          decidedBy: null,
          decidedAt: null,
        }
        const message = `Proposal ${proposal.id} by ${proposal.proposedBy}: ${reason}`
        const data = { proposal_id: proposal.id }
        await recordOrgChange(tx, by, within, { noun: 'proposal', action: 'open', message, data }, [
          inserted(proposals, proposal),
        ])
        return viewOf(proposal)
      })
    },

    list: (org: string, all: boolean): Promise<{ proposals: Proposal[] }> =>
      db.read(async (tx) => {
        const { id } = await access.resolveOrganisation(tx, org)
        const rows = await listProposals(tx, id)
        return { proposals: rows.filter((row) => all || row.status === 'open').map(viewOf) }
      }),

    /** Plans the proposal again: the organisation may have changed in the meantime. */
    async apply(by: Actor, proposalId: number, force: boolean): Promise<Proposal> {
      const { document } = await db.read((tx) => require(tx, proposalId))
      if (by.kind === 'agent' && force)
        throw refusal('forbidden', 'only the operator resolves the conflicts of a proposal', { hint: waitForAnswer })
      let decided: ProposalRow | null = null
      await importer.apply(
        by,
        document,
        { force, withIntent: false },
        {
          check: async (tx) => void (await requireOpen(tx, by, proposalId)),
          finish: async (tx, _, { changes }) => {
            if (by.kind === 'agent') refuseBeyondSeats(changes)
            decided = await decide(tx, by, await require(tx, proposalId), {
              status: 'applied',
              preview: realChanges(changes),
            })
            return []
          },
        },
      )
      return viewOf(decided ?? (await db.read((tx) => require(tx, proposalId))))
    },

    async reject(by: Actor, proposalId: number, answer: string): Promise<Proposal> {
      const { organisationId } = await db.read((tx) => require(tx, proposalId))
      return db.write([`org:${organisationId}`], async (tx) =>
        viewOf(await decide(tx, by, await requireOpen(tx, by, proposalId), { status: 'rejected', answer })),
      )
    },
  }
}

const waitForAnswer = 'Wait for the answer: "agency org proposals --org ORG" shows it.'

/**
 * Refuses changes that reach beyond the seats of one organisation: roles and personas are shared by all of them, and
 * settings and spending limits bind the agents themselves.
 */
function refuseBeyondSeats(changes: readonly PlannedChange[]): void {
  const beyond = changes.find(
    ({ action, entity }) => action !== 'unchanged' && entity !== 'position' && entity !== 'assignment',
  )
  if (beyond !== undefined)
    throw refusal('forbidden', `only the operator applies a proposal that changes ${beyond.label}`, {
      hint: waitForAnswer,
      data: { entity: beyond.entity },
    })
}

/** Returns the name of an actor; an agent is known by its persona. */
async function nameOf(tx: ReadTx, by: Actor): Promise<string> {
  if (by.kind !== 'agent') return 'operator'
  return (await findPersona(tx, by.personaId))?.slug ?? `agent:${by.agentId}`
}

const realChanges = (changes: readonly PlannedChange[]): PlannedChange[] =>
  changes.filter(({ action, note }) => action !== 'unchanged' || note !== null)

const viewOf = ({ id, preview, document: _, ...rest }: ProposalRow): Proposal => ({
  proposalId: id,
  changes: preview,
  ...rest,
})
