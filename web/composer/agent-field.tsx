import { useId } from 'react'

import type { RuntimeChoice, RuntimeField } from '../../src/work/composer/contract.ts'
import { Sign } from '../parts/state.tsx'
import { counted } from '../text.ts'
import type { Draft, Fault, FieldName } from './draft.ts'
import { Field } from './field.tsx'

/** The agents that were found on this machine. One that cannot run here is shown with the way to install it. */
export function AgentField({
  draft,
  runtimes,
  faults,
  onChange,
}: {
  draft: Draft
  runtimes: readonly RuntimeChoice[]
  faults: ReadonlyMap<FieldName, Fault>
  onChange: (change: Partial<Draft>) => void
}) {
  const name = useId()
  const shown = runtimes.filter((each) => each.offered || each.name === draft.runtime)
  const chosen = shown.find((each) => each.name === draft.runtime)
  const choose = (runtime: string): void => onChange({ runtime, fields: {}, options: {} })
  const hasAgent = runtimes.some(
    ({ usable, simulated, fields }) => usable && !simulated && fields.every((each) => !each.isCommand),
  )
  // A missing agent is news only as long as there is none.
  const hidden = hasAgent ? shown.filter((each) => !each.usable && each !== chosen) : []
  const options = (of: RuntimeChoice) =>
    of.fields.map((field) => (
      <Option
        key={field.name}
        field={field}
        value={draft.fields[field.name] ?? textOf(draft.options[field.name])}
        fault={faults.get(`option ${field.name}`)}
        onChange={(text) => {
          const { [field.name]: _, ...kept } = draft.options
          onChange({ options: kept, fields: { ...draft.fields, [field.name]: text } })
        }}
      />
    ))
  const agent = (each: RuntimeChoice) => (
    <li key={each.name}>
      <Agent choice={each} group={name} isChosen={each === chosen} onChoose={() => choose(each.name)} />
      {each === chosen && options(each)}
    </li>
  )
  return (
    <Field label="Who" fault={faults.get('runtime')}>
      {!hasAgent && (
        <p className="tone-waiting">
          <Sign tone="waiting" /> No coding agent can run here yet. Install one, name a program of your own, or see how
          it works with a simulated agent.
        </p>
      )}
      <ul className="plain agents">{shown.filter((each) => !hidden.includes(each)).map(agent)}</ul>
      {hidden.length > 0 && (
        <details>
          <summary className="muted">{counted(hidden.length, 'agent')} not usable on this machine</summary>
          <ul className="plain agents">{hidden.map(agent)}</ul>
        </details>
      )}
    </Field>
  )
}

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value
          .map((word) =>
            /^[\w./:=@%+-]+$/.test(String(word)) ? String(word) : `'${String(word).replaceAll("'", `'\\''`)}'`,
          )
          .join(' ')
      : ''

function Agent({
  choice: { name, title, usable, simulated, version, reason, install, fields },
  group,
  isChosen,
  onChoose,
}: {
  choice: RuntimeChoice
  group: string
  isChosen: boolean
  onChoose: () => void
}) {
  const about = useId()
  return (
    <>
      <label className="agent">
        <input
          type="radio"
          name={group}
          value={name}
          checked={isChosen}
          disabled={!usable}
          aria-describedby={about}
          onChange={onChoose}
        />
        <span>{title}</span>
        {simulated && <span className="label">simulated</span>}
        {usable && !simulated && version !== null && (
          <span className="stated tone-good">
            <Sign tone="good" />
            {version}
          </span>
        )}
        {!usable && (
          <span className="stated tone-off">
            <Sign tone="off" />
            not usable
          </span>
        )}
      </label>
      <div id={about} className="agent-about muted">
        {simulated && <p>Follows a script and calls no model: it shows how a run works, and does not do the work.</p>}
        {fields.some((each) => each.isCommand) && (
          <p>Reads its brief from standard input, works in a workspace of its own, and ends with a line of JSON.</p>
        )}
        {reason !== null && <p>{reason}</p>}
        {install !== null && (
          <p>
            Next step: <code>{install}</code>
          </p>
        )}
      </div>
    </>
  )
}

function Option({
  field: { name, label, isRequired, isCommand, choices },
  value,
  fault,
  onChange,
}: {
  field: RuntimeField
  value: string
  fault: Fault | undefined
  onChange: (text: string) => void
}) {
  const id = useId()
  const common = {
    id,
    name: `option-${name}`,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined ? undefined : `${id}-fault`,
  }
  return (
    <div className="agent-option">
      <label htmlFor={id}>{label}</label>
      {choices === null ? (
        <input
          {...common}
          type="text"
          className={isCommand ? 'mono grow' : 'grow'}
          autoComplete="off"
          spellCheck={false}
          placeholder={isCommand ? 'program --flag' : isRequired ? '' : 'its default'}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      ) : (
        <select {...common} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">Choose</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="tone-bad complaint" role="alert">
          {fault.cause} {fault.step}
        </p>
      )}
    </div>
  )
}
