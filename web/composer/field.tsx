import type { ReactNode } from 'react'

import type { Fault } from './draft.ts'

/** One row of the form: its name, its control, and the fault or the notes below it. */
export function Field({
  label,
  labelFor,
  fault,
  faultId,
  children,
}: {
  label: string
  /** The id of the control; without one the row is a group of controls. */
  labelFor?: string
  fault?: Fault | undefined
  faultId?: string
  children: ReactNode
}) {
  const complaint = fault !== undefined && (
    <p id={faultId} className="tone-bad complaint" role="alert">
      {fault.cause} {fault.step}
    </p>
  )
  if (labelFor !== undefined)
    return (
      <div className="compose-row">
        <label className="compose-label" htmlFor={labelFor}>
          {label}
        </label>
        <div className="compose-control">
          {children}
          {complaint}
        </div>
      </div>
    )
  return (
    <fieldset className="compose-row">
      <legend className="compose-label">{label}</legend>
      <div className="compose-control">
        {children}
        {complaint}
      </div>
    </fieldset>
  )
}
