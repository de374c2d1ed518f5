import { counted } from '../../kernel/amounts.ts'
import type { ReadTx } from '../../db/port.ts'
import { countReadyBriefs, listReadyKeys } from '../briefs/store.ts'
import type { Run } from '../runs/contract.ts'
import { type GateRow, operator } from './contract.ts'
import { listPendingOfRun } from './store.ts'

/** Describes the next step to the person who has just decided; `run` is the row after the decision. */
export async function afterApproval(tx: ReadTx, run: Run, gate: GateRow): Promise<string> {
  if (gate.status === 'pending') {
    const missing = gate.approvalsNeeded - gate.approvals.length
    return `✅ Noted — ${gate.approvals.length} of ${gate.approvalsNeeded} approvals, ${missing} to go.`
  }
  if (gate.gate === 'acceptance' && run.status === 'done') return '✅ Accepted — the run is done.'
  if (gate.gate === 'merge')
    return `✅ Approved — it is being merged into ${run.repository?.branch}; "agency watch ${run.id}" shows it.`
  const word = gate.gate === 'manual' ? 'Resumed' : 'Approved'
  return `✅ ${word} — ${(await stillHeld(tx, run)) ?? (await startsNow(tx, run))}`
}

export async function afterRejection(tx: ReadTx, run: Run, gate: GateRow): Promise<string> {
  if (run.endedAt !== null) return `❌ Rejected — the run is ${run.status}.`
  if (gate.boundary.startsWith('brief:'))
    return '❌ Rejected — the brief is given up; the run fails when its agents have ended.'
  const count = await countReadyBriefs(tx, run.id)
  const again = `${counted(count, 'brief')} ${count === 1 ? 'is' : 'are'} done again with your reason`
  const held = await stillHeld(tx, run)
  return held === null ? `❌ Rejected — ${again}.` : `❌ Rejected — ${again}, but ${held}`
}

async function stillHeld(tx: ReadTx, run: Run): Promise<string | null> {
  if (run.status === 'paused')
    return run.questionsOpen > 0
      ? 'the run is paused and a question waits: "agency questions".'
      : `the run is paused: "agency resume ${run.id}".`
  if (run.status !== 'gated') return null
  const [next] = (await listPendingOfRun(tx, run.id)).filter(
    (gate) => gate.approver === operator && !gate.boundary.startsWith('brief:'),
  )
  return `the run waits for the next gate${next === undefined ? '' : `: ${next.gate}`}.`
}

async function startsNow(tx: ReadTx, run: Run): Promise<string> {
  const keys = await listReadyKeys(tx, run.id)
  if (keys.length > 0) return `${keys.map((key) => key.toUpperCase()).join(', ')} spawning now.`
  const count = await countReadyBriefs(tx, run.id)
  return count === 0 ? 'the run continues.' : `${counted(count, 'brief')} ${count === 1 ? 'starts' : 'start'} now.`
}
