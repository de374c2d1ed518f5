import { printAnswer } from '../../cli/answers.ts'
import type { orgProposalApplyCommand } from '../../cli/commands/org/proposal/apply.ts'
import type { orgProposalRejectCommand } from '../../cli/commands/org/proposal/reject.ts'
import type { orgProposalsCommand } from '../../cli/commands/org/proposals.ts'
import type { orgProposeCommand } from '../../cli/commands/org/propose.ts'
import type { Handler } from '../../cli/declare.ts'
import { readInput } from '../../cli/input.ts'
import type { Wire } from '../../cli/wire.ts'
import { changeLines } from '../document/cli.ts'
import type { Proposal } from './contract.ts'
import { proposalEndpoints } from './endpoints.ts'

export const propose: Handler<typeof orgProposeCommand> = async (context, { file, reason, json }) => {
  const document = await readInput(file, 'document')
  const proposal = await context.api().call<Wire<Proposal>>(proposalEndpoints.propose, { document, reason })
  if (json) context.json(proposal)
  else {
    context.out(`proposal_id: ${proposal.proposal_id}`)
    for (const line of changeLines(proposal.changes, false)) context.out(`# ${line}`)
  }
  return 0
}

export const listProposals: Handler<typeof orgProposalsCommand> = (context, { org, all, json }) =>
  printAnswer(context, { json }, proposalEndpoints.list, { org, all })

export const applyProposal: Handler<typeof orgProposalApplyCommand> = (context, proposalId, { force, json }) =>
  printAnswer(context, { json }, proposalEndpoints.apply, { proposal_id: proposalId, force })

export const rejectProposal: Handler<typeof orgProposalRejectCommand> = (context, proposalId, { reason, json }) =>
  printAnswer(context, { json }, proposalEndpoints.reject, { proposal_id: proposalId, answer: reason })
