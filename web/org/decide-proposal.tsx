import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { type Proposal, proposalOperations } from '../../src/org/proposals/contract.ts'
import { call } from '../client.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorLine } from '../parts/error-line.tsx'
import { keys } from '../queries.ts'
import { counted } from '../text.ts'

/** Buttons to apply or reject a proposal as the operator. The button names the conflicts that applying would override. */
export function DecideProposal({ proposal }: { proposal: Proposal }) {
  const { proposalId } = proposal
  const [rejecting, setRejecting] = useState(false)
  const queries = useQueryClient()
  const decided = (): Promise<void> => queries.invalidateQueries({ queryKey: keys.org })
  const conflicts = proposal.changes.filter((change) => change.action === 'conflict').length
  const changes = proposal.changes.filter((change) => change.action !== 'unchanged').length
  const apply = useMutation({
    mutationFn: () => call(proposalOperations.apply, { proposalId, force: conflicts > 0 }),
    onSuccess: decided,
  })
  return (
    <>
      {apply.isError && <ErrorLine error={apply.error} />}
      <p className="buttons begin">
        <button type="button" className="primary" disabled={apply.isPending} onClick={() => apply.mutate()}>
          {apply.isPending
            ? 'Applying'
            : conflicts > 0
              ? `Apply, and override ${counted(conflicts, 'conflict')}`
              : `Apply ${counted(changes, 'change')}`}
        </button>
        <button type="button" disabled={apply.isPending} onClick={() => setRejecting(true)}>
          Reject…
        </button>
      </p>
      <Dialog open={rejecting} onClose={() => setRejecting(false)} label="Reject this proposal?" className="confirm">
        <Reject
          proposalId={proposalId}
          onClose={() => setRejecting(false)}
          onRejected={() => {
            setRejecting(false)
            void decided()
          }}
        />
      </Dialog>
    </>
  )
}

function Reject({
  proposalId,
  onClose,
  onRejected,
}: {
  proposalId: number
  onClose: () => void
  onRejected: () => void
}) {
  const [answer, setAnswer] = useState('')
  const field = useId()
  const reject = useMutation({
    mutationFn: () => call(proposalOperations.reject, { proposalId, answer }),
    onSuccess: onRejected,
  })
  return (
    <>
      <h2>Reject this proposal?</h2>
      <label htmlFor={field}>Reason, for the author of the proposal</label>
      <textarea id={field} autoFocus rows={3} value={answer} onChange={(event) => setAnswer(event.target.value)} />
      {reject.isError && <ErrorLine error={reject.error} />}
      <p className="buttons">
        <button type="button" onClick={onClose}>
          Keep open
        </button>
        <button
          type="button"
          className="primary"
          disabled={reject.isPending || answer.trim() === ''}
          onClick={() => reject.mutate()}
        >
          {reject.isPending ? 'Rejecting' : 'Reject and answer'}
        </button>
      </p>
    </>
  )
}
