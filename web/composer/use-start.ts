import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import type { RuntimeChoice } from '../../src/work/composer/contract.ts'
import { call } from '../client.ts'
import { type Draft, inputOf } from './draft.ts'
import { repositoryQuery } from './queries.ts'

/** The repository of the form cannot be used; its field shows the reason. */
export class UnusableRepository extends Error {}

/**
 * Starts the run of a form. The request carries the key of the form, so that a second press, a copy of the tab or a
 * repeated request after a lost response gets the run that was started already.
 */
export function useStart(onStarted: (run: Run) => void) {
  const queries = useQueryClient()
  const busy = useRef(false)
  const mutation = useMutation({
    mutationFn: async ({ draft, runtime }: { draft: Draft; runtime: RuntimeChoice }) => {
      // The path may have been typed a moment ago, and `~` means a folder to the daemon only.
      const found = draft.repo === '' ? null : await queries.fetchQuery(repositoryQuery(draft.repo))
      if (found?.usable === false) throw new UnusableRepository(found.problem?.message)
      return call(operations.run.create, inputOf(draft, { runtime, repo: found?.path ?? null }), undefined, draft.key)
    },
    onSuccess: onStarted,
  })
  return {
    ...mutation,
    start: (draft: Draft, runtime: RuntimeChoice): void => {
      // The page re-renders only after this press, so its state cannot decide about the next one.
      if (busy.current) return
      busy.current = true
      mutation.mutate({ draft, runtime }, { onSettled: () => (busy.current = false) })
    },
  }
}
