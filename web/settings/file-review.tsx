import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

import { escapeHidden } from '../../src/kernel/escape-hidden.ts'
import { operations } from '../../src/operations/all.contract.ts'
import type { FileReview as Review, FileStart } from '../../src/work/trusted-files/contract.ts'
import { call } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { keys } from '../queries.ts'
import { counted } from '../text.ts'

interface Reviewed {
  readonly text: string
  readonly name: string
  readonly review: Review
}

/** Shows everything that a chosen file starts, and trusts exactly the text that was shown. */
export function FileReview() {
  const queries = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const trust = useMutation({
    mutationFn: ({ text, name, review: { hash } }: Reviewed) =>
      call(operations.trustedFile.trust, { text, name, hash }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.trustedFiles }),
  })
  const read = useMutation({
    mutationFn: async (file: File): Promise<Reviewed> => {
      const text = await file.text()
      return { text, name: file.name, review: await call(operations.trustedFile.review, { text, name: file.name }) }
    },
  })
  const choose = (file: File | undefined): void => {
    trust.reset()
    if (file !== undefined) read.mutate(file)
    // The same file can be chosen again after an edit.
    if (input.current !== null) input.current.value = ''
  }
  return (
    <div className="file-review">
      <label>
        Review a plan or a team file
        <input
          ref={input}
          type="file"
          accept=".yaml,.yml,.json"
          onChange={({ target }) => choose(target.files?.[0] ?? undefined)}
        />
      </label>
      {read.isError && <ErrorLine error={read.error} />}
      {read.data && <Starts reviewed={read.data} />}
      {trust.isError && <ErrorLine error={trust.error} />}
      {read.data && needsTrust(read.data.review) && !trust.isSuccess && (
        <button
          type="button"
          className="primary"
          disabled={trust.isPending}
          onClick={() => read.data && trust.mutate(read.data)}
        >
          Trust this file
        </button>
      )}
      {trust.isSuccess && <p role="status">This file is trusted now.</p>}
    </div>
  )
}

const needsTrust = ({ starts, trusted }: Review): boolean => starts.length > 0 && !trusted

function Starts({ reviewed: { name, review } }: { reviewed: Reviewed }) {
  const title = escapeHidden(name)
  if (review.starts.length === 0) return <p>{title} starts nothing, so it needs no trust.</p>
  return (
    <>
      <p>
        <strong>{title}</strong> starts {counted(review.starts.length, 'command')}
        {review.trusted && ' and is trusted already'}:
      </p>
      <ul className="plain">
        {review.starts.map((start) => (
          <li key={`${start.where} ${start.text}`}>
            <Start {...start} />
          </li>
        ))}
      </ul>
      {review.difference !== null && (
        <>
          <p>Since a file of this name was trusted, these lines have changed:</p>
          <pre>{review.difference.map(escapeHidden).join('\n')}</pre>
        </>
      )}
    </>
  )
}

const Start = ({ text, where, count, added }: FileStart) => (
  <>
    <p className="muted">
      {escapeHidden(where)}
      {count > 1 && `, and in ${counted(count - 1, 'other place')}`}
      {added === true && ', new since it was trusted'}
    </p>
    <pre>{escapeHidden(text)}</pre>
  </>
)
