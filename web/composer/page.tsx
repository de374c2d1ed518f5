import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { operations } from '../../src/operations/all.contract.ts'
import type { OutputOf } from '../../src/operations/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { randomKey } from '../client.ts'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { runLineQuery } from '../queries.ts'
import { addresses, Link, useAddress } from '../router.tsx'
import { type Draft, draftOfRun, emptyDraft, withTemplate } from './draft.ts'
import { ComposerForm } from './form.tsx'
import { PlanFile } from './plan-file.tsx'
import { choicesQuery, templatesQuery } from './queries.ts'
import { loadDraft } from './storage.ts'

/**
 * Starts a run from the browser. The query prefills it: `template` by name, `from` with the settings of an earlier run,
 * `goal` and `repo` with texts.
 */
export function ComposerPage() {
  const { query } = useAddress()
  const [isFile, setFile] = useState(false)
  return (
    <>
      <header className="head">
        <Heading title="New run" />
        <div className="facts" role="group" aria-label="Start from">
          <button type="button" aria-pressed={!isFile} onClick={() => setFile(false)}>
            A goal
          </button>
          <button type="button" aria-pressed={isFile} onClick={() => setFile(true)}>
            A plan file
          </button>
        </div>
      </header>
      {isFile ? <PlanFile /> : <GoalForm key={query.toString()} query={query} />}
    </>
  )
}

function GoalForm({ query }: { query: URLSearchParams }) {
  const from = query.get('from')
  const choices = useQuery(choicesQuery)
  const listed = useQuery(templatesQuery)
  const run = useQuery({ ...runLineQuery(from ?? ''), enabled: from !== null })
  const missing = [choices, listed, ...(from === null ? [] : [run])].find((each) => each.isError && !each.data)
  if (missing !== undefined)
    return (
      <>
        <Failure error={missing.error} retry={() => void missing.refetch()} name="The form" />
        {query.size > 0 && (
          <p>
            <Link to={addresses.newRun}>Open an empty form</Link>
          </p>
        )}
      </>
    )
  if (choices.data === undefined || listed.data === undefined || (from !== null && run.data === undefined))
    return <Skeleton lines={8} label="the form" />
  const search = query.size === 0 ? '' : `?${query.toString()}`
  const initial = loadDraft(search) ?? draftOf(query, { run: run.data, choices: choices.data, listed: listed.data })
  return (
    <>
      {run.data !== undefined && initial.fork !== null && <ForkLine run={run.data} brief={initial.fork.from} />}
      <ComposerForm initial={initial} search={search} choices={choices.data} listed={listed.data} />
    </>
  )
}

/** Says from where a fork begins. */
function ForkLine({ run, brief }: { run: Run; brief: string | undefined }) {
  const { repository, head } = run
  return (
    <p className="fork-line">
      Fork of <Link to={addresses.run(run.id)}>{run.id}</Link>:{' '}
      {repository === null ? (
        'that run had no repository, so only its settings are taken over, and the work begins in an empty folder.'
      ) : (
        <>
          its work begins {brief === undefined ? 'at its newest commit ' : `with the result of ${brief}`}
          {brief === undefined && <code>{(head ?? repository.base).slice(0, 12)}</code>} in {repository.path}. What was
          done until there comes with it into {repository.branch}.
        </>
      )}
    </p>
  )
}

function draftOf(
  query: URLSearchParams,
  {
    run,
    choices,
    listed,
  }: {
    run: Run | undefined
    choices: OutputOf<typeof operations.composer.choices>
    listed: OutputOf<typeof operations.template.list>
  },
): Draft {
  const simulated = choices.runtimes.find((each) => each.simulated && each.offered)
  const runtime = choices.runtime ?? simulated?.name ?? ''
  const base =
    run === undefined
      ? {
          ...emptyDraft(randomKey()),
          runtime,
          repo: choices.repositories[0]?.path ?? '',
          askResult: choices.acceptance === 'operator',
        }
      : draftOfRun(run, randomKey())
  const brief = query.get('fork')
  if (run !== undefined && brief !== null) base.fork = { runId: run.id, ...(brief === '' ? {} : { from: brief }) }
  const template = listed.templates.find(({ name }) => name === query.get('template'))
  const begun = template === undefined ? base : withTemplate(base, template, null)
  const [goal, repo] = [query.get('goal'), query.get('repo')]
  return {
    ...begun,
    ...(goal === null ? {} : { goal: [goal.trim(), template?.goal ?? ''].filter((part) => part !== '').join('\n\n') }),
    ...(repo === null ? {} : { repo }),
  }
}
