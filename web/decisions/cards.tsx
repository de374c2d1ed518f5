import { useQueryClient } from '@tanstack/react-query'
import { type MouseEvent, type PointerEvent, useCallback, useRef, useState } from 'react'

import type { Run } from '../../src/work/runs/contract.ts'
import { keys } from '../queries.ts'
import { counted } from '../text.ts'
import { GateCard } from './gate-card.tsx'
import { compareByAge, openSets, type PendingDecision } from './items.ts'
import { QuestionCard } from './question-card.tsx'

const pageSize = 20

/** The number of decided cards that stay as lines above those that wait. */
const maxDecided = 5

/**
 * Cards of pending decisions. A card that is decided elsewhere disappears; one that the operator writes on or has
 * decided here becomes a line above the cards that wait.
 */
export function DecisionCards({ items, within }: { items: readonly PendingDecision[]; within?: Run }) {
  const [most, setMost] = useState(pageSize)
  const [touched, setTouched] = useState<ReadonlyMap<string, PendingDecision>>(new Map())
  const waiting = new Set(items.map((item) => item.id))
  const sets = openSets(items)
  const kept = [...touched.values()].filter((item) => !waiting.has(item.id))
  const { shown: waitingOnes, pointer } = useStableCards(items, touched)
  // One list, so that a card keeps its state when it moves.
  const shown = [...kept.slice(-maxDecided), ...waitingOnes]
  const touch = useCallback(
    (item: PendingDecision) =>
      setTouched((before) => (before.has(item.id) ? before : new Map(before).set(item.id, item))),
    [],
  )
  const queries = useQueryClient()
  const decided = (runId: string | null): Promise<unknown> =>
    Promise.all(
      [keys.waiting, keys.runs, ...(runId === null ? [] : [keys.run(runId)])].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  return (
    <>
      <ul className="plain cards" {...pointer} onClickCapture={ignoreSecondClick}>
        {shown.slice(0, most).map((item) => {
          const common = {
            waits: waiting.has(item.id),
            within: within ?? null,
            onTouch: () => touch(item),
          }
          return item.kind === 'gate' ? (
            <GateCard key={item.id} gate={item.gate} {...common} onDecided={() => decided(item.gate.runId)} />
          ) : (
            <QuestionCard
              key={item.id}
              question={item.question}
              inSet={sets.get(item.question.attemptId ?? '') ?? 1}
              {...common}
              onDecided={() => decided(item.question.runId)}
            />
          )
        })}
      </ul>
      {shown.length > most && (
        <button type="button" className="more" onClick={() => setMost(most + pageSize)}>
          Show {counted(Math.min(pageSize, shown.length - most), 'more')} of {shown.length - most}
        </button>
      )}
    </>
  )
}

/** The second click of a double click would press a button of the card that moved below the pointer. */
function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail < 2) return
  event.preventDefault()
  event.stopPropagation()
}

/** While the pointer is on the cards none is removed; new ones are added at the end, where they move nothing. */
function useStableCards(items: readonly PendingDecision[], touched: ReadonlyMap<string, PendingDecision>) {
  const [pointed, setPointed] = useState(false)
  const last = useRef(items)
  const now = new Set(items.map((item) => item.id))
  const gone = pointed ? last.current.filter((item) => !now.has(item.id) && !touched.has(item.id)) : []
  const shown = [...items, ...gone].toSorted(compareByAge)
  last.current = shown
  return {
    shown,
    pointer: {
      onPointerMove: (event: PointerEvent) => setPointed(event.pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
    },
  }
}
