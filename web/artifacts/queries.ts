import { queryOptions } from '@tanstack/react-query'

import { artifactOperations } from '../../src/work/artifacts/contract.ts'
import { call } from '../client.ts'
import { keys } from '../queries.ts'

/** The bytes of an artifact never change; whether they can still be read, and which versions there are, may. */
export const artifactQuery = (artifactId: string, lines?: number) =>
  queryOptions({
    queryKey: [...keys.artifacts, artifactId, lines ?? 'all'],
    queryFn: ({ signal }) => call(artifactOperations.show, { artifactId, lines }, signal),
    staleTime: 0,
  })

/** The files and documents of a run without their content: the events of the run make the list stale. */
export const artifactsQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.run(runId), 'artifacts'],
    queryFn: ({ signal }) => call(artifactOperations.list, { runId }, signal),
  })
