import { answer, type Form, url } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import { readInput } from '../../cli/input.ts'
import type { Wire } from '../../cli/wire.ts'
import { changeLines } from '../document/cli.ts'
import type { Proposal } from './contract.ts'

export interface ProposeOptions extends Form {
  file?: string
  reason: string
}

export async function propose(context: CliContext, { file, reason, json }: ProposeOptions): Promise<number> {
  const document = await readInput(file, 'document')
  const proposal = await context.api().post<Wire<Proposal>>('/orgs/proposals', { document, reason })
  if (json) context.json(proposal)
  else {
    context.out(`proposal_id: ${proposal.proposal_id}`)
    for (const line of changeLines(proposal.changes, false)) context.out(`# ${line}`)
  }
  return 0
}

export const listProposals = (context: CliContext, { org, all, json }: Form & { org: string; all?: true }) =>
  answer(context, { json }, 'GET', url`/orgs/${org}/proposals`, { all })

export const applyProposal = (context: CliContext, proposalId: number, { force, json }: Form & { force?: true }) =>
  answer(context, { json }, 'POST', url`/proposals/${proposalId}/apply`, { force })

export const rejectProposal = (context: CliContext, proposalId: number, { reason, json }: Form & { reason: string }) =>
  answer(context, { json }, 'POST', url`/proposals/${proposalId}/reject`, { answer: reason })
