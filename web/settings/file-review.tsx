import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { FileReview as Review } from '../../src/work/trusted-files/contract.ts'
import { call } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { keys } from '../queries.ts'
import { needsTrust, Starts } from '../trusted-files/starts.tsx'

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
      {read.data && <Starts name={read.data.name} review={read.data.review} />}
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
