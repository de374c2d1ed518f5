import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef, useState } from 'react'

import { ApiError } from '../../src/operations/problem.ts'
import type { OutputOf } from '../../src/operations/contract.ts'
import type { operations } from '../../src/operations/all.contract.ts'
import type { RepositoryCheck } from '../../src/work/composer/contract.ts'
import type { Template } from '../../src/work/templates/contract.ts'
import { randomKey } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { addresses, Link, navigate } from '../router.tsx'
import { AgentField } from './agent-field.tsx'
import {
  type Draft,
  type Fault,
  faultsOf,
  type FieldName,
  teamPlaybook,
  withoutTemplate,
  withTemplate,
} from './draft.ts'
import { EstimateLine } from './estimate-line.tsx'
import { GoalField } from './goal-field.tsx'
import { AskField, DepthField, LimitField } from './limits-field.tsx'
import { commandProof } from './proof.ts'
import { ProofField } from './proof-field.tsx'
import { repositoryQuery } from './queries.ts'
import { RepositoryField } from './repository-field.tsx'
import { forgetDraft, saveDraft } from './storage.ts'
import { TemplateField } from './template-row.tsx'
import { UnusableRepository, useStart } from './use-start.ts'

interface FormProps {
  initial: Draft
  /** The query of the address, which names the draft in the storage of the tab. */
  search: string
  choices: OutputOf<typeof operations.composer.choices>
  listed: OutputOf<typeof operations.template.list>
}

export function ComposerForm({ initial, search, choices, listed }: FormProps) {
  const [draft, setDraft] = useState(initial)
  const [tried, setTried] = useState(false)
  // A key may start the run in the event that leaves a field, before the page is drawn again.
  const latest = useRef(initial)
  const form = useRef<HTMLFormElement>(null)
  const starting = useStart((run) => {
    forgetDraft(search)
    navigate(addresses.run(run.id), { replace: true })
  })
  const change = (values: Partial<Draft>): void => {
    // A refusal was about the earlier values.
    if (starting.isError) starting.reset()
    latest.current = { ...latest.current, ...values }
    saveDraft(search, latest.current)
    setDraft(latest.current)
  }
  const { runtimes } = choices
  const templateOf = ({ template }: Draft): Template | null =>
    listed.templates.find(({ name }) => name === template) ?? null
  const aroundOf = (of: Draft) => ({
    runtime: runtimes.find(({ name }) => name === of.runtime) ?? null,
    template: templateOf(of),
  })
  const repository = useQuery({ ...repositoryQuery(draft.repo), enabled: draft.repo !== '' })
  useSuggestedProof(draft, repository.data, change)

  const start = (): void => {
    setTried(true)
    const of = latest.current
    const around = aroundOf(of)
    if (faultsOf(of, around).size === 0 && around.runtime !== null) starting.start(of, around.runtime)
    else focusFault(form.current)
  }
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    start()
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      // The form hears the key after the field, which has taken over its value.
      start()
    } else if (event.target instanceof HTMLInputElement && event.target.type === 'text') event.preventDefault()
  }
  const around = aroundOf(draft)
  const all = faultsOf(draft, around)
  const refused = refusedField(starting.error)
  const faults: ReadonlyMap<FieldName, Fault> = tried ? withRefusal(all, starting.error, refused) : new Map()
  // A refusal of the daemon arrives after the press of the button, whose focus it then moves to its field.
  const { error } = starting
  useEffect(() => {
    if (error !== null) focusFault(form.current)
  }, [error])
  const top = repository.data?.usable === true ? repository.data.path : null
  const isSimulated = around.runtime?.simulated === true

  return (
    <form ref={form} className="compose" onSubmit={submit} onKeyDown={onKey} noValidate>
      <GoalField
        goal={draft.goal}
        template={around.template}
        fault={faults.get('goal')}
        onChange={(goal) => change({ goal })}
      />
      <TemplateField
        {...listed}
        chosen={around.template}
        onChoose={(template) => {
          const before = templateOf(latest.current)
          change(
            template === null
              ? withoutTemplate(latest.current, before)
              : withTemplate(latest.current, template, before),
          )
        }}
      />
      <RepositoryField
        repo={draft.repo}
        known={choices.repositories}
        found={draft.repo === '' ? null : repository}
        fault={faults.get('repo')}
        onChange={(repo) => change({ repo })}
      />
      <AgentField draft={draft} runtimes={runtimes} faults={faults} onChange={change} />
      <ProofField
        draft={draft}
        repo={top}
        suggested={repository.data?.proofs ?? []}
        faults={faults}
        onChange={(proofs) => change({ proofs, ownProofs: true })}
      />
      <DepthField team={draft.team} onChange={(team) => change({ team })} />
      <LimitField limit={draft.limit} fault={faults.get('limit')} onChange={(limit) => change({ limit })} />
      <AskField draft={draft} hasRepository={draft.repo !== ''} onChange={change} />
      <div className="compose-start">
        <EstimateLine playbook={draft.team ? teamPlaybook : 'direct'} runtime={draft.runtime} />
        <button
          type="submit"
          className="primary"
          disabled={starting.isPending}
          title="Start the run (Ctrl-Enter or ⌘-Enter)"
        >
          {starting.isPending ? 'Starting' : isSimulated ? 'Start simulated run' : 'Start run'}
        </button>
        <Complaint
          error={starting.error}
          isMarked={faults.size > 0 || starting.error instanceof UnusableRepository}
          onAnother={() => {
            starting.reset()
            change({ key: randomKey() })
          }}
        />
      </div>
    </form>
  )
}

/** The reason below the button why nothing was started; the fields show the details. */
function Complaint({ error, isMarked, onAnother }: { error: unknown; isMarked: boolean; onAnother: () => void }) {
  if (isReused(error))
    return (
      <div role="alert" className="tone-bad complaint">
        This form has started a run already, and was changed since. <Link to={addresses.runs}>Show the runs</Link> or{' '}
        <button type="button" onClick={onAnother}>
          Make it another run
        </button>
      </div>
    )
  if (isMarked) return <p className="tone-bad complaint">Nothing was started: correct the marked fields.</p>
  return error === null ? null : <ErrorLine error={error} />
}

/**
 * Fills in the test command of a repository, as long as a person has not touched the proofs. A team checks its proofs
 * for every task, also for the first ones, so it gets none that was not asked for.
 */
function useSuggestedProof(draft: Draft, found: RepositoryCheck | undefined, change: (values: Partial<Draft>) => void) {
  const { ownProofs, team, repo } = draft
  const { run, from } = found?.proofs.find(({ kind }) => kind === 'test') ?? {}
  const isKnown = team || repo === '' || found !== undefined
  const text = team ? undefined : run
  const changeNow = useRef(change)
  changeNow.current = change
  useEffect(() => {
    if (!ownProofs && isKnown) changeNow.current({ proofs: text === undefined ? [] : [commandProof(text, from)] })
  }, [ownProofs, isKnown, text, from])
}

const isReused = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.code === 'idempotency_key_reused'

/** Returns the field that a refusal of the daemon is about; null: it belongs to the whole form. */
function refusedField(error: unknown): FieldName | null {
  if (!(error instanceof ApiError)) return null
  if (error.problem.code === 'no_runtime') return 'runtime'
  const issues = (error.problem.data?.['issues'] ?? []) as { path?: unknown }[]
  const path = String(issues[0]?.path ?? '')
  if (path === 'goal') return 'goal'
  if (path.startsWith('evidence')) return 'proofs'
  if (path === 'cost_limit') return 'limit'
  if (path === 'runtime_options') return 'runtime'
  return path === 'repo' ? 'repo' : null
}

function withRefusal(
  faults: ReadonlyMap<FieldName, Fault>,
  error: unknown,
  refused: FieldName | null,
): ReadonlyMap<FieldName, Fault> {
  if (refused === null || !(error instanceof ApiError) || faults.size > 0) return faults
  const cause = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`
  return new Map([[refused, { cause, step: error.problem.hint ?? 'Correct it and start again.' }]])
}

/** Moves to the first control with a fault, once it is marked. */
function focusFault(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    const fault = form?.querySelector<HTMLElement>('[aria-invalid=true], .compose-row .complaint')
    fault?.scrollIntoView({ block: 'nearest' })
    fault?.focus()
  })
}
