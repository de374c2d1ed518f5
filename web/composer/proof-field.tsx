import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId } from 'react'

import { escapeHidden } from '../../src/kernel/escape-hidden.ts'
import type { CommandCheck, SuggestedProof } from '../../src/work/composer/contract.ts'
import { describeEvidence } from '../../src/work/evidence/contract.ts'
import { Sign } from '../parts/state.tsx'
import { commandsOf, type Draft, type Fault, type FieldName } from './draft.ts'
import { Field } from './field.tsx'
import { commandProof, fileProof, isEditable, type Proof } from './proof.ts'
import { commandsQuery } from './queries.ts'

/** The proofs without which the work does not count as done. The suggestions come from files of the repository. */
export function ProofField({
  draft,
  repo,
  suggested,
  faults,
  onChange,
}: {
  draft: Draft
  /** The top of the repository; null: none is chosen. */
  repo: string | null
  suggested: readonly SuggestedProof[]
  faults: ReadonlyMap<FieldName, Fault>
  onChange: (proofs: Proof[]) => void
}) {
  const { proofs, team } = draft
  const commands = useDeferredValue(commandsOf(draft).join('\n'))
  const asked = commands === '' ? [] : commands.split('\n')
  const checked = useQuery({
    ...commandsQuery(asked, repo),
    enabled: asked.length > 0,
    placeholderData: (last) => last,
  })
  const change = (proof: Proof): void => onChange(proofs.map((each) => (each.id === proof.id ? proof : each)))
  const others = suggested.filter(({ run }) => !proofs.some((each) => isEditable(each) && each.text.trim() === run))
  return (
    <Field label="Proof" fault={faults.get('proofs')}>
      {proofs.length === 0 && (
        <p className="muted">
          {team
            ? 'Verifiers of the team judge every task. A proof here is checked for every task as well.'
            : 'Without a proof, a second agent judges the work. A command that passes or fails is stronger.'}
        </p>
      )}
      {team && proofs.length > 0 && <p className="muted">Checked for every task of the team.</p>}
      <ul className="plain compose-proofs">
        {proofs.map((proof, index) => (
          <ProofRow
            key={proof.id}
            proof={proof}
            number={index + 1}
            fault={faults.get(`proof ${proof.id}`)}
            check={checked.data?.commands.find(({ run }) => isEditable(proof) && run === proof.text.trim())}
            onChange={change}
            onRemove={() => onChange(proofs.filter((each) => each !== proof))}
          />
        ))}
      </ul>
      <div className="facts">
        {others.map(({ run, from }) => (
          <button
            key={run}
            type="button"
            title={`Suggested by ${escapeHidden(from)}`}
            onClick={() => onChange([...proofs, commandProof(run, from)])}
          >
            + <code>{escapeHidden(run)}</code>
          </button>
        ))}
        <button type="button" onClick={() => onChange([...proofs, commandProof('')])}>
          Add a command
        </button>
        <button type="button" onClick={() => onChange([...proofs, fileProof('')])}>
          Add a file
        </button>
      </div>
    </Field>
  )
}

function ProofRow({
  proof,
  number,
  fault,
  check,
  onChange,
  onRemove,
}: {
  proof: Proof
  number: number
  fault: Fault | undefined
  check: CommandCheck | undefined
  onChange: (proof: Proof) => void
  onRemove: () => void
}) {
  const id = useId()
  const isMissing = proof.kind === 'command' && check?.found === false
  return (
    <li>
      <div className="compose-proof">
        {isEditable(proof) ? (
          <>
            <label htmlFor={id} className="proof-kind muted">
              {proof.kind === 'command' ? <span aria-hidden="true">$</span> : 'file'}
              <span className="unseen">
                {proof.kind === 'command' ? 'Command' : 'Path'} of proof {number}
              </span>
            </label>
            <input
              id={id}
              type="text"
              className="mono grow"
              autoComplete="off"
              spellCheck={false}
              placeholder={
                proof.kind === 'command' ? 'Command that must succeed' : 'File that must exist and not be empty'
              }
              value={proof.text}
              aria-invalid={fault !== undefined}
              aria-describedby={`${id}-about`}
              onChange={({ target }) => {
                const { from: _, ...own } = proof
                onChange({ ...own, text: target.value })
              }}
            />
          </>
        ) : (
          <span className="grow">
            <code>{escapeHidden(describeEvidence(proof.evidence))}</code>
          </span>
        )}
        <button type="button" aria-label={`Remove proof ${number}`} onClick={onRemove}>
          Remove
        </button>
      </div>
      <div id={`${id}-about`} className="proof-about">
        {isEditable(proof) && proof.from !== undefined && <p className="muted">found: {escapeHidden(proof.from)}</p>}
        {isMissing && (
          <p className="tone-waiting">
            <Sign tone="waiting" /> The program <code>{check?.program}</code> was not found on this machine. The run can
            start all the same: the setup of the repository may install it.
          </p>
        )}
        {fault !== undefined && (
          <p className="tone-bad complaint" role="alert">
            {fault.cause} {fault.step}
          </p>
        )}
      </div>
    </li>
  )
}
