import { useEffect, useId, useRef } from 'react'

import type { Template } from '../../src/work/templates/contract.ts'
import { figure } from '../text.ts'
import { type Fault, maxGoal } from './draft.ts'
import { Field } from './field.tsx'

/** From here on the length is shown, so that a person sees the limit before she reaches it. */
const longGoal = maxGoal * 0.9

export function GoalField({
  goal,
  template,
  fault,
  onChange,
}: {
  goal: string
  template: Template | null
  fault: Fault | undefined
  onChange: (goal: string) => void
}) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // The heading of a new page has the focus; with a keyboard the next thing to do is to type the goal.
  useEffect(() => {
    const isEmpty = field.current?.value === ''
    if (isEmpty && matchMedia('(hover: hover)').matches) requestAnimationFrame(() => field.current?.focus())
  }, [])
  const ask = template?.ask ?? null
  return (
    <Field label="What is to be achieved?" labelFor={id} fault={fault} faultId={`${id}-fault`}>
      {ask !== null && (
        <p id={`${id}-hint`} className="muted">
          {ask} {template?.goal !== '' && 'Write it above the instructions of the template.'}
        </p>
      )}
      <textarea
        ref={field}
        id={id}
        name="goal"
        rows={5}
        value={goal}
        aria-invalid={fault !== undefined}
        aria-describedby={[ask !== null && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined}
        onChange={({ target }) => onChange(target.value)}
      />
      {goal.length > longGoal && (
        <p className="muted figure">
          {figure(goal.trim().length)} of {figure(maxGoal)} characters
        </p>
      )}
    </Field>
  )
}
