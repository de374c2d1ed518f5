import { useId } from 'react'

import type { Draft, Fault } from './draft.ts'
import { Field } from './field.tsx'

/** How many agents work, how much they may cost, and when they must ask. */
export function DepthField({ team, onChange }: { team: boolean; onChange: (team: boolean) => void }) {
  const group = useId()
  return (
    <Field label="Depth">
      <div className="facts">
        <label className="choice">
          <input type="radio" name={group} checked={!team} onChange={() => onChange(false)} />
          One agent
        </label>
        <label className="choice">
          <input type="radio" name={group} checked={team} onChange={() => onChange(true)} />
          Team in five tiers (T1–T5)
        </label>
      </div>
      {team && (
        <p className="muted">
          One agent plans, others design, divide and do the work, and verifiers judge it. More agents cost more than
          one.
        </p>
      )}
    </Field>
  )
}

export function LimitField({
  limit,
  fault,
  onChange,
}: {
  limit: string
  fault: Fault | undefined
  onChange: (limit: string) => void
}) {
  const id = useId()
  return (
    <Field label="Limit" labelFor={id} fault={fault} faultId={`${id}-fault`}>
      <div className="facts">
        <span className="muted" aria-hidden="true">
          $
        </span>
        <input
          id={id}
          name="limit"
          type="text"
          className="limit figure"
          inputMode="decimal"
          autoComplete="off"
          placeholder="none"
          value={limit}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-about${fault === undefined ? '' : ` ${id}-fault`}`}
          onChange={({ target }) => onChange(target.value)}
        />
        <span id={`${id}-about`} className="muted">
          US dollars for the whole run. At the limit it stops and asks you. Empty: no limit.
        </span>
      </div>
    </Field>
  )
}

export function AskField({
  draft,
  hasRepository,
  onChange,
}: {
  draft: Draft
  hasRepository: boolean
  onChange: (change: Partial<Draft>) => void
}) {
  const { team, askPlan, askResult } = draft
  return (
    <Field label="Ask me">
      <div className="facts">
        <label className="choice">
          <input
            type="checkbox"
            checked={team || askPlan}
            disabled={team}
            onChange={({ target }) => onChange({ askPlan: target.checked })}
          />
          before the work starts (plan)
        </label>
        {hasRepository && (
          <label className="choice">
            <input type="checkbox" checked disabled readOnly />
            before the merge
          </label>
        )}
        {!team && !hasRepository && (
          <label className="choice">
            <input
              type="checkbox"
              checked={askResult}
              onChange={({ target }) => onChange({ askResult: target.checked })}
            />
            before the result is accepted
          </label>
        )}
      </div>
      {(team || hasRepository) && (
        <p className="muted">
          {team && 'A team always asks before its plan starts. '}
          {hasRepository && 'A merge always asks.'}
        </p>
      )}
    </Field>
  )
}
