import { type UseQueryResult } from '@tanstack/react-query'
import { useId, useState } from 'react'

import type { KnownRepository, RepositoryCheck } from '../../src/work/composer/contract.ts'
import { Sign } from '../parts/state.tsx'
import { ErrorLine } from '../parts/error-line.tsx'
import type { Fault } from './draft.ts'
import { Field } from './field.tsx'

/** The repository in which the run works: one that was used before, or a path that the daemon checks as it is typed. */
export function RepositoryField({
  repo,
  known,
  found,
  fault,
  onChange,
}: {
  repo: string
  known: readonly KnownRepository[]
  found: UseQueryResult<RepositoryCheck> | null
  fault: Fault | undefined
  onChange: (repo: string) => void
}) {
  const id = useId()
  const [typed, setTyped] = useState(repo)
  const [before, setBefore] = useState(repo)
  if (before !== repo) {
    setBefore(repo)
    setTyped(repo)
  }
  const choose = (path: string): void => {
    setTyped(path)
    onChange(path.trim())
  }
  return (
    <Field label="Where" labelFor={id} fault={fault} faultId={`${id}-fault`}>
      <input
        id={id}
        name="repo"
        type="text"
        list={`${id}-known`}
        placeholder="Path of a git repository, or empty for an empty folder"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        aria-invalid={fault !== undefined || found?.data?.usable === false}
        aria-describedby={`${id}-state${fault === undefined ? '' : ` ${id}-fault`}`}
        onChange={({ target }) => {
          setTyped(target.value)
          // A choice from the list is complete; a typed path is, when it is left.
          if (known.some(({ path }) => path === target.value)) onChange(target.value)
        }}
        onBlur={() => choose(typed)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') choose(typed)
        }}
      />
      <datalist id={`${id}-known`}>
        {known.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <div id={`${id}-state`} aria-live="polite">
        <RepositoryState repo={repo} found={found} />
      </div>
    </Field>
  )
}

function RepositoryState({ repo, found }: { repo: string; found: UseQueryResult<RepositoryCheck> | null }) {
  if (found === null) return <p className="muted">The agent starts in an empty folder, and nothing is merged.</p>
  if (found.isError && found.data === undefined) return <ErrorLine error={found.error} />
  if (found.data === undefined) return <p className="muted">Checking {repo}</p>
  const { path, branch, problem, warnings } = found.data
  if (problem !== null)
    return (
      <p className="tone-bad complaint">
        <Sign tone="bad" /> {problem.message}. {problem.hint}
      </p>
    )
  return (
    <>
      <p className="facts">
        <span className="stated tone-good">
          <Sign tone="good" />
          <span>
            branch <code>{branch}</code>
          </span>
        </span>
        {path !== repo && (
          <span className="muted">
            repository <code>{path}</code>
          </span>
        )}
        <span className="muted">The result waits for your approval before it is merged into {branch}.</span>
      </p>
      {warnings.map((warning) => (
        <p key={warning} className="tone-waiting">
          <Sign tone="waiting" /> {warning}
        </p>
      ))}
    </>
  )
}
