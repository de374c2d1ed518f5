import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { DecidedQuestion, Question, QuestionView } from '../../src/work/questions/contract.ts'
import type { FailedAttempts, FailedCheck, QuestionFacts } from '../../src/work/questions/facts.contract.ts'
import { call } from '../client.ts'
import { createLazy } from '../parts/lazy.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'
import { keys } from '../queries.ts'
import { addresses, Link } from '../router.tsx'

/** A question; in the inbox with its facts, on the page of its run without them. */
export type AskedQuestion = DecidedQuestion & Partial<Pick<QuestionView, 'facts'>>

export const questionQuery = ({ id, runId }: Question) => ({
  queryKey: [...(runId === null ? keys.waiting : keys.run(runId)), 'question', id],
  queryFn: ({ signal }: { signal: AbortSignal }) => call(operations.question.show, { questionId: id }, signal),
})

/** Returns the facts of a pending question, which are fetched where they did not come with it. */
export function useFacts(question: AskedQuestion, waits: boolean): QuestionFacts | null {
  const given = question.facts ?? null
  const fetched = useQuery({ ...questionQuery(question), enabled: waits && given === null })
  return given ?? fetched.data?.facts ?? null
}

const CardDiff = createLazy({ name: 'The diff of the attempt' }, async () => (await import('./card-diff.tsx')).CardDiff)

/** Shows the claim of the agent, the checks that failed, and how its attempts differ. */
export function Facts({ question, facts }: { question: Question; facts: QuestionFacts }) {
  const { claim, failed, failedTotal, issues, attempts, background, hasDiff } = facts
  const { briefId, runId } = question
  return (
    <>
      <dl className="summary-parts">
        {claim !== null && (
          <Part name="Claim">
            <p className="written">
              <VisibleLines text={claim} />
            </p>
          </Part>
        )}
        {failed.length > 0 && (
          <Part name="Failed">
            {failed.map((check, index) => (
              <Failed key={index} check={check} />
            ))}
            {failedTotal > failed.length && runId !== null && briefId !== null && (
              <p>
                <Link to={addresses.brief(runId, briefId)}>Show {failedTotal - failed.length} more</Link>
              </p>
            )}
          </Part>
        )}
        {issues.length > 0 && (
          <Part name="Issues">
            <ul className="plain">
              {issues.map((issue, index) => (
                <li key={index} className="written">
                  <VisibleLines text={issue} />
                </li>
              ))}
            </ul>
          </Part>
        )}
        {attempts !== null && (
          <Part name="Attempts">
            <Attempts attempts={attempts} />
          </Part>
        )}
        {background !== '' && (
          <Part name="Context">
            <Context text={background} />
          </Part>
        )}
      </dl>
      {hasDiff && briefId !== null && <DiffHere briefId={briefId} attemptId={facts.attemptId} />}
    </>
  )
}

const Part = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function Failed({ check: { what, detail, output } }: { check: FailedCheck }) {
  return (
    <div className="failed-check">
      <p>
        <code>
          <VisibleText text={what} />
        </code>{' '}
        <span className="tone-bad">
          <VisibleText text={detail} />
        </span>
      </p>
      {output !== '' && (
        <pre className="output-end">
          <VisibleLines text={output} />
        </pre>
      )}
    </div>
  )
}

function Attempts({ attempts: { summary, kinds } }: { attempts: FailedAttempts }) {
  return (
    <>
      <p>{summary}</p>
      {kinds.length > 1 && (
        <ul className="plain muted">
          {kinds.map(({ attempts, failure }) => (
            <li key={attempts[0]} className="written">
              {attempts.length === 1 ? 'attempt' : 'attempts'} {attempts.join(', ')}: <VisibleText text={failure} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

export function Context({ text }: { text: string }) {
  const long = text.length > 400 || text.split('\n').length > 6
  if (!long) return <p className="written muted">{text}</p>
  return (
    <details>
      <summary>Show the context</summary>
      <p className="written">{text}</p>
    </details>
  )
}

function DiffHere({ briefId, attemptId }: { briefId: string; attemptId: string | null }) {
  const [open, setOpen] = useState(false)
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show the diff</summary>
      {open && <CardDiff briefId={briefId} attemptId={attemptId} />}
    </details>
  )
}
