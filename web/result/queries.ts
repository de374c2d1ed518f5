import { infiniteQueryOptions } from '@tanstack/react-query'

import { proofSheetOperations } from '../../src/work/proof-sheets/contract.ts'
import { runResultOperations } from '../../src/work/run-results/contract.ts'
import { call } from '../client.ts'
import { keys } from '../queries.ts'

/** The result of a run, or of one of its briefs, with its claims page by page. */
export const resultQuery = (runId: string, briefId?: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.run(runId), 'result', briefId ?? null],
    queryFn: ({ pageParam, signal }) =>
      call(runResultOperations.show, { runId, briefId, offset: pageParam, limit: 10 }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
  })

export const proofSheetQuery = (runId: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.run(runId), 'proof'],
    queryFn: ({ pageParam, signal }) =>
      call(proofSheetOperations.show, { runId, offset: pageParam, limit: 50 }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
