import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'

import { escapeHidden } from '../../src/kernel/escape-hidden.ts'
import { operations } from '../../src/operations/all.contract.ts'
import type { OutputOf } from '../../src/operations/contract.ts'
import type { PlannedBrief } from '../../src/work/plans/contract.ts'
import { call, randomKey } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { Sign } from '../parts/state.tsx'
import { keys } from '../queries.ts'
import { addresses, navigate } from '../router.tsx'
import { counted } from '../text.ts'
import { needsTrust, Starts } from '../trusted-files/starts.tsx'

interface ReadPlan {
  readonly text: string
  readonly name: string
  /** Names this reading of the file to the daemon, so that it starts one run. */
  readonly key: string
  readonly checked: OutputOf<typeof operations.plan.check>
}

/** Shows the briefs of a plan file and everything that it starts, then trusts and starts exactly that text. */
export function PlanFile() {
  const queries = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const busy = useRef(false)
  const [goal, setGoal] = useState('')
  const read = useMutation({
    mutationFn: async (file: File): Promise<ReadPlan> => {
      const text = await file.text()
      const checked = await call(operations.plan.check, { plan: text, fileNames: { plan: file.name } })
      return { text, name: file.name, key: randomKey(), checked }
    },
  })
  const start = useMutation({
    mutationFn: async ({ text, name, key, checked }: ReadPlan) => {
      // Each file is trusted by a request of its own: the key of the form belongs to the start.
      for (const { hash, ...review } of checked.files)
        if (needsTrust({ hash, ...review })) await call(operations.trustedFile.trust, { text, hash, name })
      const own = goal.trim()
      return call(
        operations.plan.run,
        { plan: text, fileNames: { plan: name }, ...(own === '' ? {} : { goal: own }) },
        undefined,
        key,
      )
    },
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: keys.trustedFiles })
      navigate(addresses.run(run.id), { replace: true })
    },
  })
  const choose = (file: File | undefined): void => {
    start.reset()
    if (file !== undefined) read.mutate(file)
    // The same file can be chosen again after an edit.
    if (input.current !== null) input.current.value = ''
  }
  const startOnce = (): void => {
    if (read.data === undefined || busy.current) return
    busy.current = true
    start.mutate(read.data, { onSettled: () => (busy.current = false) })
  }
  const found = read.data
  const open = found?.checked.files.filter(needsTrust) ?? []
  return (
    <section className="part plan-file" aria-label="Plan file">
      <label>
        Choose a plan file
        <input
          ref={input}
          type="file"
          accept=".yaml,.yml,.json"
          onChange={({ target }) => choose(target.files?.[0] ?? undefined)}
        />
      </label>
      <p className="muted">
        A plan describes a whole run: its briefs, their order and their proofs. Choosing a file starts nothing.
      </p>
      {read.isPending && <p className="muted">Reading the file</p>}
      {read.isError && <ErrorLine error={read.error} />}
      {found !== undefined && !found.checked.valid && <Faults read={found} />}
      {found?.checked.valid === true && (
        <>
          <h2>{escapeHidden(found.checked.goal ?? found.name)}</h2>
          <Briefs briefs={found.checked.briefs} />
          {found.checked.files.map((review) => (
            <Starts key={review.hash} name={found.name} review={review} />
          ))}
          {found.checked.files.length === 0 && <p>The plan starts no commands, so it needs no trust.</p>}
          <label>
            Goal
            <input
              type="text"
              placeholder={found.checked.goal ?? ''}
              value={goal}
              onChange={({ target }) => setGoal(target.value)}
            />
          </label>
          {start.isError && <ErrorLine error={start.error} />}
          <p>
            <button type="button" className="primary" disabled={start.isPending} onClick={startOnce}>
              {start.isPending ? 'Starting' : open.length > 0 ? 'Trust this file and start the run' : 'Start run'}
            </button>
          </p>
        </>
      )}
    </section>
  )
}

function Faults({ read: { name, checked } }: { read: ReadPlan }) {
  return (
    <div role="alert">
      <p className="tone-bad">
        <Sign tone="bad" /> {escapeHidden(name)} has {counted(checked.faults.length, 'fault')}. Correct the file, then
        choose it again.
      </p>
      <ul className="plain">
        {checked.faults.map(({ line, column, message }) => (
          <li key={`${line} ${column} ${message}`}>
            <code>
              {line ?? 1}:{column ?? 1}
            </code>{' '}
            {escapeHidden(message)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A longer plan is shown by its first briefs; all of them are on the page of the run. */
const mostBriefs = 100

function Briefs({ briefs }: { briefs: readonly PlannedBrief[] }) {
  const levels = new Set(briefs.map(({ level }) => level)).size
  return (
    <>
      <p>
        {counted(briefs.length, 'brief')} in {counted(levels, 'level')}
      </p>
      <ol className="plain plan-briefs">
        {briefs.slice(0, mostBriefs).map(({ key, title, level, after, evidence, runtime }) => (
          <li key={key}>
            <p>
              <code>{key}</code> {escapeHidden(title)}{' '}
              <span className="muted">
                level {level}
                {after.length > 0 && `, after ${after.join(', ')}`}
                {runtime !== null && `, by ${runtime}`}
              </span>
            </p>
            {evidence.map((line) => (
              <p key={line} className="muted">
                <code>{escapeHidden(line)}</code>
              </p>
            ))}
          </li>
        ))}
      </ol>
      {briefs.length > mostBriefs && <p className="muted">and {counted(briefs.length - mostBriefs, 'more brief')}</p>}
    </>
  )
}
