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
  return <ComposerForm initial={initial} search={search} choices={choices.data} listed={listed.data} />
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
  const template = listed.templates.find(({ name }) => name === query.get('template'))
  const begun = template === undefined ? base : withTemplate(base, template, null)
  const [goal, repo] = [query.get('goal'), query.get('repo')]
  return {
    ...begun,
    ...(goal === null ? {} : { goal: [goal.trim(), template?.goal ?? ''].filter((part) => part !== '').join('\n\n') }),
    ...(repo === null ? {} : { repo }),
  }
}
