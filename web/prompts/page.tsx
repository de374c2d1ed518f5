import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { agentOperations, type AgentPrompt, type SentText } from '../../src/work/agents/contract.ts'
import { call } from '../client.ts'
import { Disclosure } from '../parts/disclosure.tsx'
import { Hash } from '../parts/hash.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { type Inspection, runQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { counted, size } from '../text.ts'
import { changesOf, compare } from './compare.ts'

const promptQuery = (agentId: number) =>
  queryOptions({
    queryKey: ['prompt', agentId],
    queryFn: ({ signal }) => call(agentOperations.prompt, { agentId }, signal),
    staleTime: 0,
  })

/** Shows the prompt of an attempt, and the lines that differ from the prompt of the attempt before. */
export function PromptPage({ runId, attemptId }: { runId: string; attemptId: string }) {
  const run = useQuery(runQuery(runId))
  const attempt = run.data?.attempts.find(({ id }) => id === attemptId)
  if (run.data === undefined || attempt === undefined)
    return (
      <>
        <Heading title="Prompt" />
        {run.isPending && <Skeleton lines={10} label="the prompt" />}
        {run.isError && <Failure error={run.error} retry={() => void run.refetch()} name="The run" />}
        {run.data !== undefined && <p className="none muted">This run has no such attempt.</p>}
      </>
    )
  return <Prompt inspection={run.data} attempt={attempt} />
}

type Attempt = Inspection['attempts'][number]

function Prompt({ inspection, attempt }: { inspection: Inspection; attempt: Attempt }) {
  const ofBrief = inspection.attempts.filter(({ briefId }) => briefId === attempt.briefId)
  const index = ofBrief.findIndex(({ id }) => id === attempt.id)
  const last = ofBrief[index - 1]
  const brief = inspection.briefs.find(({ id }) => id === attempt.briefId)
  const sent = useQuery(promptQuery(attempt.agentId))
  return (
    <>
      <header className="run-header">
        <div className="grow">
          <Heading title={`Prompt of attempt ${index + 1}`} />
          <p className="facts">
            <Link to={addresses.attempt(attempt.runId, attempt.briefId, attempt.id)}>{brief?.title ?? attempt.id}</Link>
            <Link to={addresses.output(attempt.runId, attempt.briefId, attempt.id)}>Output</Link>
            <span className="muted">as it was stored before the agent started, without secrets</span>
          </p>
        </div>
      </header>
      {sent.data === undefined ? (
        sent.isError ? (
          <Failure error={sent.error} retry={() => void sent.refetch()} name="The prompt" />
        ) : (
          <Skeleton lines={10} label="the prompt" />
        )
      ) : (
        <>
          {last !== undefined && <Changes before={last} number={index} sent={sent.data} />}
          <Text name="Prompt" sent={sent.data.prompt} />
          {sent.data.systemPrompt !== null && (
            <Disclosure summary="System prompt">
              {() => <Text name="System prompt" sent={sent.data.systemPrompt} />}
            </Disclosure>
          )}
        </>
      )}
    </>
  )
}

function Changes({ before, number, sent }: { before: Attempt; number: number; sent: AgentPrompt }) {
  const last = useQuery(promptQuery(before.agentId))
  const [old, now] = [last.data?.prompt?.text, sent.prompt?.text]
  const shown = useMemo(
    () => (typeof old === 'string' && typeof now === 'string' ? changesOf(compare(old, now)) : null),
    [old, now],
  )
  const isSame = shown?.every((line) => line === null) === true
  return (
    <section className="part" aria-label="What changed">
      <h2>Changed since attempt {number}</h2>
      {last.isPending && <Skeleton lines={4} label="the last prompt" />}
      {last.isError && <Failure error={last.error} retry={() => void last.refetch()} name="The last prompt" />}
      {last.isSuccess && shown === null && <p className="muted">One of the two prompts is not stored any more.</p>}
      {isSame && <p className="muted">Nothing: both attempts were sent the same prompt.</p>}
      {shown !== null && !isSame && (
        <pre className="prompt-text" tabIndex={0} role="region" aria-label="Changed lines">
          {shown.map((line, index) =>
            line === null ? (
              <span key={index} className="muted">
                {'…\n'}
              </span>
            ) : (
              <span key={index} className={line.sign === '+' ? 'plus' : line.sign === '-' ? 'minus' : ''}>
                {line.sign} <VisibleText text={line.text} />
                {'\n'}
              </span>
            ),
          )}
        </pre>
      )}
    </section>
  )
}

/** A prompt has lines of its own; only the other invisible characters are made visible. */
const VisibleLines = ({ text }: { text: string }) =>
  text.split('\n').map((line, index) => (
    <span key={index}>
      <VisibleText text={line} />
      {'\n'}
    </span>
  ))

function Text({ name, sent }: { name: string; sent: SentText | null }) {
  if (sent === null) return <p className="muted">None is stored.</p>
  const { text, sha256, changed } = sent
  return (
    <section className="part">
      <h2>{name}</h2>
      <p className="facts muted">
        {text !== null && (
          <span>
            {counted(text.split('\n').length, 'line')}, {size(new Blob([text]).size)}
          </span>
        )}
        {sha256 !== null && <Hash sha256={sha256} />}
        {changed && <span className="tone-bad">The file was changed after the agent had started.</span>}
      </p>
      {text === null ? (
        <p className="muted">Its file is gone.</p>
      ) : (
        <pre className="prompt-text" tabIndex={0} role="region" aria-label={`${name}: the text`}>
          <VisibleLines text={text} />
        </pre>
      )}
    </section>
  )
}
