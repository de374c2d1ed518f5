import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useRef } from 'react'

import type { Operation, OutputOf } from '../src/operations/contract.ts'
import { ApiError } from '../src/operations/problem.ts'
import { type InputOf, call, randomKey } from './client.ts'

export type OperationMutation<Op extends Operation> = UseMutationResult<OutputOf<Op>, Error, InputOf<Op>> & {
  /** Does it, unless it is being done already. */
  perform: (input: InputOf<Op>) => void
}

/**
 * Something that is done once, however often it is pressed: a second press while it is under way does nothing, and a
 * further try after a lost answer is the same request to the daemon.
 */
export function useOperation<Op extends Operation>(
  operation: Op,
  onDone: (output: OutputOf<Op>) => unknown,
): OperationMutation<Op> {
  const lost = useRef<{ input: string; key: string } | null>(null)
  const mutation = useMutation<OutputOf<Op>, Error, InputOf<Op>>({
    mutationFn: async (input) => {
      const text = JSON.stringify(input)
      if (lost.current?.input !== text) lost.current = { input: text, key: randomKey() }
      try {
        const output = await call(operation, input, undefined, lost.current.key)
        lost.current = null
        return output
      } catch (error) {
        if (error instanceof ApiError) lost.current = null
        throw error
      }
    },
    onSuccess: onDone,
  })
  const busy = useRef(false)
  const perform = (input: InputOf<Op>): void => {
    // The page is drawn again only after this press: what it knows must not decide about the next one.
    if (busy.current) return
    busy.current = true
    mutation.mutate(input, { onSettled: () => (busy.current = false) })
  }
  return { ...mutation, perform }
}
