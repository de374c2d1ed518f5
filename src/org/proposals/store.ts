import { countRows } from '../../db/columns.ts'
import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter, sqlOf } from '../../db/tx.ts'
import type { PlannedChange } from '../document/contract.ts'

export interface ProposalRow {
  id: number
  organisationId: number
  reason: string
  document: string
  preview: PlannedChange[]
  status: 'open' | 'applied' | 'rejected'
  answer: string | null
  proposedBy: string
  createdAt: string
  decidedBy: string | null
  decidedAt: string | null
}

export const proposals = table<ProposalRow>('proposals', {
  json: ['preview'],
  stream: (row) => `org:${row.organisationId}`,
})

export const nextProposalId = (tx: Tx): Promise<number> => nextCounter(tx, 'proposals')

export const findProposal = (tx: ReadTx, id: number): Promise<ProposalRow | undefined> => findRow(tx, proposals, id)

export const countOpenProposals = (tx: ReadTx): Promise<number> =>
  countRows(sqlOf(tx), "SELECT COUNT(*) AS count FROM proposals WHERE status = 'open'", [])

export const listProposals = (tx: ReadTx, organisationId: number): Promise<ProposalRow[]> =>
  findRows(tx, proposals, 'organisation_id = ? ORDER BY id', [organisationId])
