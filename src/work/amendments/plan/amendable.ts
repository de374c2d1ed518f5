import { refusal } from '../../../kernel/errors.ts'
import { isFinal } from '../../gates/open.ts'
import { listPendingOfRun } from '../../gates/store.ts'
import { proofHold } from '../../proofs/start.ts'
import { landingHold } from '../../pull-requests/moves.ts'
import type { RunScope } from '../../scope.ts'

/** Refuses a change of a plan whose run has ended, keeps no plan, or has handed its result over. */
export async function refuseUnamendable({ tx, run, playbook }: RunScope): Promise<void> {
  if (run.endedAt !== null)
    throw refusal('illegal_transition', `run ${run.id} is ${run.status}: its plan can no longer change`, {
      data: { from: run.status },
    })
  if (run.configuration.purpose !== undefined)
    throw refusal('illegal_transition', `run ${run.id} is a single step of its mission: it has no plan to change`, {
      hint: `End it with "agency cancel ${run.id}", then start the step again.`,
    })
  if (playbook.hasPlan !== true)
    throw refusal('illegal_transition', `the playbook "${playbook.name}" divides the work of run ${run.id} itself`, {
      hint:
        playbook.paths === undefined
          ? `"agency inspect ${run.id}" shows its work.`
          : `Change a path instead: agency mission amend ${run.id} --workstream <id> --add-tiers <tiers> --reason <text>`,
    })
  const isHandedOver =
    run.heldBy === landingHold ||
    run.heldBy === proofHold ||
    run.status === 'accepting' ||
    (await listPendingOfRun(tx, run.id)).some(({ gate }) => isFinal(gate))
  if (isHandedOver)
    throw refusal('illegal_transition', `the result of run ${run.id} waits for acceptance: its plan cannot change`, {
      hint: `Reject the result first: agency reject ${run.id} --reason <text>`,
    })
}
