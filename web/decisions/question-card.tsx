import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useId, useRef, useState } from 'react'

import { shorten } from '../../src/kernel/text.ts'
import { operations } from '../../src/operations/all.contract.ts'
import {
  type DecidedQuestion,
  type Question,
  type QuestionOption,
  runIdOf,
  takesOwnWords,
} from '../../src/work/questions/contract.ts'
import type { QuestionFacts } from '../../src/work/questions/facts.contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { humanise } from '../text.ts'
import { useOperation } from '../use-operation.ts'
import { BudgetAmounts } from './budget-answer.tsx'
import { type CardProps, OutcomeLine, RunLink, useRunOf } from './card.tsx'
import { answerText, questionState } from './labels.ts'
import { type AskedQuestion, Facts, questionQuery, useFacts } from './question-facts.tsx'
import { RefusedDecision, useFocusAfterUndo, useUndoSeconds, WaitingDecision, waitingOf } from './waiting-decision.tsx'

/** A question that only the operator can decide: one press on an option answers it, or a text of the operator's own. */
export function QuestionCard({
  question,
  inSet = 1,
  waits,
  within,
  onTouch,
  onDecided,
}: CardProps & {
  question: AskedQuestion
  /** Number of pending questions of the report that asked it. */
  inSet?: number
}) {
  const run = useRunOf(question.runId, within)
  const title = useId()
  const own = useRef<HTMLTextAreaElement>(null)
  const answer = useOperation(operations.question.answer, onDecided)
  const facts = useFacts(question, waits)
  const budget = facts?.budget ?? null
  const undoSeconds = useUndoSeconds()
  const answered = answer.data?.answeredAt === null ? undefined : answer.data
  const over = !waits || answered !== undefined
  const settling = over ? undefined : waitingOf(question.decisions)[0]
  const { card, onUndone } = useFocusAfterUndo(settling !== undefined)
  const line = {
    title: <b id={title}>{shorten(question.text, 120)}</b>,
    about: within === null && question.runId !== null ? { run, runId: question.runId } : null,
  }
  const send = (text: string): void => {
    onTouch()
    answer.perform({ questionId: question.id, answer: text, undoSeconds })
  }
  return (
    <li
      ref={card}
      className="card ask"
      aria-labelledby={title}
      data-question={question.id}
      data-over={over || undefined}
      data-settling={settling !== undefined || undefined}
    >
      {settling !== undefined ? (
        <WaitingDecision
          {...line}
          decision={settling}
          detail={shorten(answerText({ ...question, answer: settling.text }), 200)}
          mine={answer.data !== undefined}
          onUndone={() => {
            onUndone()
            return onDecided()
          }}
        />
      ) : over ? (
        <Answered question={question} mine={answered} isMine={answer.data !== undefined} waits={waits} {...line} />
      ) : (
        <>
          <p className="facts">
            <StateLabel state={{ tone: 'waiting', text: 'waits for you' }} />
            {question.risk !== 'medium' && (
              <span className={question.risk === 'high' ? 'label tone-bad' : 'label'}>{question.risk} risk</span>
            )}
            <span className="muted">
              {humanise(question.kind)}
              {facts !== null && (
                <>
                  , asked by <AskedBy question={question} name={facts.askedBy} />
                </>
              )}
              , <Ago at={question.createdAt} />
            </span>
          </p>
          <h2 id={title} className="written">
            {question.text}
          </h2>
          {within === null && question.runId !== null && <RunLink run={run} runId={question.runId} />}
          {inSet > 1 && (
            <p className="muted">One of {inSet} questions: the work continues when all of them are answered.</p>
          )}
          <RefusedDecision decisions={question.decisions} />
          {facts !== null && <Facts question={question} facts={facts} />}
          <div className="decide answer">
            {budget !== null && <BudgetAmounts budget={budget} disabled={answer.isPending} onSend={send} />}
            {question.options
              .filter((option) => budget === null || option.key !== 'raise')
              .map((option) => (
                <Option
                  key={option.key}
                  option={option}
                  recommended={option.key === question.recommendation}
                  disabled={answer.isPending}
                  onChoose={() => (isOwnWords(question, option) ? own.current?.focus() : send(option.key))}
                />
              ))}
            {takesOwnWords(question) && (
              <OwnAnswer
                field={own}
                label={ownLabelOf(question, facts)}
                recommended={facts?.advice === 'own_words'}
                disabled={answer.isPending}
                sending={answer.isPending}
                onTouch={onTouch}
                onSend={send}
              />
            )}
          </div>
          {answer.error !== null && <ErrorLine error={answer.error} />}
        </>
      )}
    </li>
  )
}

function ownLabelOf({ class: cause }: Question, facts: QuestionFacts | null): string {
  if (cause === 'checks') return 'Setup command'
  if (facts?.budget)
    return facts.budget.isAboutCost ? 'Another limit, such as $2.50' : 'Another limit, such as 50,000 tokens'
  return facts?.advice === 'own_words' ? 'Say what to do differently' : 'Other answer'
}

/** A setup command is an answer in the operator's own words: its option leads to the field for them. */
const isOwnWords = ({ class: cause }: Question, { key }: QuestionOption): boolean =>
  cause === 'checks' && key === 'setup'

function Option({
  option,
  recommended,
  disabled,
  onChoose,
}: {
  option: QuestionOption
  recommended: boolean
  disabled: boolean
  onChoose: () => void
}) {
  const detail = useId()
  return (
    <button
      type="button"
      className={recommended ? 'option recommended' : 'option'}
      aria-describedby={detail}
      disabled={disabled}
      onClick={onChoose}
    >
      <span className="option-label">
        {option.label}
        {recommended && <span className="label">recommended</span>}
      </span>
      <span id={detail} className="muted option-detail">
        {option.detail}
      </span>
    </button>
  )
}

function OwnAnswer({
  field: own,
  label,
  recommended,
  disabled,
  sending,
  onTouch,
  onSend,
}: {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  recommended: boolean
  disabled: boolean
  sending: boolean
  onTouch: () => void
  onSend: (text: string) => void
}) {
  const [text, setText] = useState('')
  const field = useId()
  const empty = text.trim() === ''
  return (
    <div className="own-words">
      <label htmlFor={field} className="muted">
        {label} {recommended && <span className="label">recommended</span>}
      </label>
      <div className="own-line">
        <textarea
          ref={own}
          id={field}
          rows={1}
          maxLength={10_000}
          value={text}
          disabled={disabled}
          onChange={(event) => {
            onTouch()
            setText(event.target.value)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !empty) onSend(text.trim())
          }}
        />
        <button
          type="button"
          title="Send (Ctrl-Enter)"
          disabled={disabled || empty}
          onClick={() => onSend(text.trim())}
        >
          {sending ? 'Sending' : 'Send answer'}
        </button>
      </div>
    </div>
  )
}

function Answered({
  question,
  mine,
  isMine,
  ...line
}: {
  question: Question
  mine: DecidedQuestion | undefined
  /** It was decided on this card, at once or to take effect later. */
  isMine: boolean
  waits: boolean
  title: ReactNode
  about: { run: Run | undefined; runId: string } | null
}) {
  const current = useQuery({ ...questionQuery(question), enabled: mine === undefined })
  const found = mine ?? current.data
  if (found === undefined)
    return <OutcomeLine {...line} state={{ tone: 'off', text: 'no longer pending' }} mine={false} at={null} />
  const { tone, text } = questionState(found)
  const by = mine === undefined && found.answeredBy !== null ? ` by ${found.answeredBy}` : ''
  return (
    <OutcomeLine {...line} state={{ tone, text: text + by }} mine={isMine} at={found.answeredAt}>
      {found.answer !== null && <span className="written">{shorten(answerText(found), 200)}</span>}
      <RefusedDecision decisions={found.decisions} />
    </OutcomeLine>
  )
}

function AskedBy({ question, name }: { question: Question; name: string }) {
  if (question.briefId === null) return name
  return <Link to={addresses.brief(runIdOf(question), question.briefId)}>{name}</Link>
}
