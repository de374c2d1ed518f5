import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query'

import { operations } from '../src/operations/all.contract.ts'
import type { RunStatus } from '../src/work/runs/contract.ts'
import { call } from './client.ts'

/** Keys say what an answer depends on; the live stream invalidates by their beginnings and never writes an answer itself. */
export const keys = {
  status: ['status'],
  runs: ['runs'],
  run: (runId: string) => ['run', runId],
  everyRun: ['run'],
  waiting: ['waiting'],
  /** What keeps everything, or one provider, from launching. */
  stops: ['stops'],
  event: ['event'],
  pullRequests: ['pull-requests'],
  /** Those of missions, with their files. */
  workspaces: ['workspaces'],
  /** Everything about structure and personas: small, and any change may show anywhere. */
  org: ['org'],
} as const

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The stream says when an answer is old, and asks again itself after a break.
        staleTime: Infinity,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The daemon is on this machine: being off the network does not stop it.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })

export const statusQuery = queryOptions({
  queryKey: keys.status,
  queryFn: ({ signal }) => call(operations.daemon.status, {}, signal),
})

export const runsPage = 50

export const runsQuery = (status?: RunStatus, organisationId?: number) =>
  infiniteQueryOptions({
    queryKey: [...keys.runs, status ?? 'all', organisationId ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      call(operations.run.list, { status, organisationId, limit: runsPage, before: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.runs.length < runsPage ? undefined : last.runs.at(-1)?.id),
  })

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.run(runId),
    // The log has the events already, page by page.
    queryFn: ({ signal }) => call(operations.run.inspect, { runId, events: 0 }, signal),
  })
export type Inspection = Awaited<ReturnType<NonNullable<ReturnType<typeof runQuery>['queryFn']>>>

/** The run alone, for a card that stands far from its page. */
export const runLineQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.run(runId), 'alone'],
    queryFn: ({ signal }) => call(operations.run.show, { runId }, signal),
  })

/** Gates and questions that wait for the operator, the oldest first. */
export const pendingDecisionsQuery = queryOptions({
  queryKey: [...keys.waiting, 'decisions'],
  queryFn: async ({ signal }) => {
    const [{ gates, total: gatesTotal }, { questions, total: questionsTotal }] = await Promise.all([
      call(operations.gate.list, {}, signal),
      call(operations.question.list, {}, signal),
    ])
    return { gates, questions, total: gatesTotal + questionsTotal }
  },
})

/** Runs that failed, with what failed in them. */
export const failedQuery = queryOptions({
  queryKey: [...keys.waiting, 'failed'],
  queryFn: async ({ signal }) => {
    const [failed, { briefs }] = await Promise.all([
      call(operations.run.list, { status: 'failed', limit: 50 }, signal),
      call(operations.brief.list, { status: 'failed', limit: 200 }, signal),
    ])
    return {
      runs: failed.runs.map((run) => ({ run, briefs: briefs.filter((brief) => brief.runId === run.id) })),
      total: failed.counts['failed'] ?? failed.runs.length,
    }
  },
})

/** One event with its data, which the log does not keep for every line. */
export const eventQuery = (place: { runId: string; seq: number } | { position: number }) =>
  queryOptions({
    queryKey: [...keys.event, place],
    queryFn: async ({ signal }) => {
      const page =
        'runId' in place
          ? await call(operations.event.ofRun, { runId: place.runId, after: place.seq - 1, limit: 1 }, signal)
          : await call(operations.event.list, { after: place.position - 1, limit: 1 }, signal)
      return page.events[0] ?? null
    },
  })
