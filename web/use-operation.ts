import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useRef } from 'react'

import type { Operation, OutputOf } from '../src/operations/contract.ts'
import { ApiError } from '../src/operations/problem.ts'
import { type InputOf, call, randomKey } from './client.ts'

export type OperationMutation<Op extends Operation> = UseMutationResult<OutputOf<Op>, Error, InputOf<Op>> & {
  /** Runs the operation, unless it is already running. */
  perform: (input: InputOf<Op>) => void
}

/**
 * Runs an operation once, however often its button is pressed: a second press while it runs does nothing, and another
 * press after a lost response repeats the same request with the same idempotency key.
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
    // The page re-renders only after this press, so its state (`isPending`) cannot decide about the next one.
    if (busy.current) return
    busy.current = true
    mutation.mutate(input, { onSettled: () => (busy.current = false) })
  }
  return { ...mutation, perform }
}
