import { useQuery } from '@tanstack/react-query'

import { operations } from '../../src/operations/all.contract.ts'
import type { DecidedGate, GateView } from '../../src/work/gates/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { call } from '../client.ts'
import { keys } from '../queries.ts'
import { OutcomeLine } from './card.tsx'
import { RefusedDecision } from './waiting-decision.tsx'
import { gateNames, gateState, isSimulated } from './labels.ts'

/** Shows the next step of a decision made here; of one made elsewhere, the decision and its author. */
export function GateOutcome({
  gate,
  title,
  run,
  within,
  waits,
  decided,
}: {
  gate: GateView
  /** The id of the element that names the gate. */
  title: string
  run: Run | undefined
  within: Run | null
  waits: boolean
  decided: DecidedGate | undefined
}) {
  const settled = decided?.status === 'pending' ? undefined : decided
  const gates = useQuery({
    queryKey: [...keys.run(gate.runId), 'gates'],
    queryFn: ({ signal }) => call(operations.gate.ofRun, { runId: gate.runId }, signal),
    enabled: settled === undefined,
  })
  // A decision that waited until its time is answered before it; the gate tells what has become of it.
  const found = settled ?? gates.data?.gates.find((each) => each.id === gate.id)
  const line = {
    mine: decided !== undefined,
    waits,
    title: <b id={title}>{gateNames[gate.gate] ?? `Gate ${gate.gate}`}</b>,
    about: within === null ? { run, runId: gate.runId } : null,
  }
  if (found === undefined || found.status === 'pending')
    return <OutcomeLine {...line} state={{ tone: 'off', text: 'no longer pending' }} at={null} />
  const { tone, text } = gateState(found)
  return (
    <OutcomeLine
      {...line}
      state={{
        tone,
        text: settled === undefined ? `${text} by ${authorOf(found)}` : nextOf(settled, run),
      }}
      at={found.decidedAt ?? null}
    >
      {settled === undefined && found.reason !== null && <span>{found.reason}</span>}
      <RefusedDecision decisions={found.decisions} />
    </OutcomeLine>
  )
}

const authorOf = ({ by, note }: GateView): string =>
  isSimulated(note) ? 'the demonstration' : (by ?? 'an unknown person')

/** Names the next step of a decision; of a merge, what has become of it. */
function nextOf(decided: DecidedGate, run: Run | undefined): string {
  const said = plain(decided.confirmation)
  if (decided.gate !== 'merge' || decided.status !== 'approved') return said
  const branch = run?.repository?.branch
  const into = branch === undefined ? '' : ` into ${branch}`
  if (run?.status === 'done') return `Approved and merged${into}`
  return run === undefined || run.status === 'running' ? `Approved: it is being merged${into}` : 'Approved'
}

/** Removes the emoji at the beginning of a confirmation, which is written for chats too; here the sign is drawn. */
export const plain = (confirmation: string): string => confirmation.replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, '')
