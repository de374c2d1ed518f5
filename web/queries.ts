import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query'

import { operations } from '../src/operations/all.contract.ts'
import type { RunState } from '../src/kernel/run-state.ts'
import { call } from './client.ts'

/**
 * A key lists the data that a response depends on. The live stream invalidates by key prefix and never writes a
 * response itself.
 */
export const keys = {
  status: ['status'],
  runs: ['runs'],
  run: (runId: string) => ['run', runId],
  everyRun: ['run'],
  waiting: ['waiting'],
  /** Stops and provider holds, which keep everything or one provider from launching. */
  stops: ['stops'],
  event: ['event'],
  pullRequests: ['pull-requests'],
  /** Files that runs have produced. */
  artifacts: ['artifacts'],
  /** Workspaces of missions, with their files. */
  workspaces: ['workspaces'],
  /** All data about structure and personas under one key: it is small, and any change may be visible anywhere. */
  org: ['org'],
  sessions: ['sessions'],
  trustedFiles: ['trusted-files'],
} as const

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The live stream reports when a response is stale, and refetches by itself after an interruption.
        staleTime: Infinity,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The daemon runs on this machine: it answers without a network.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })

export const statusQuery = queryOptions({
  queryKey: keys.status,
  queryFn: ({ signal }) => call(operations.daemon.status, {}, signal),
})

export const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: ({ signal }) => call(operations.session.list, {}, signal),
  // No event reports that another browser has signed in.
  staleTime: 0,
})

export const trustedFilesQuery = queryOptions({
  queryKey: keys.trustedFiles,
  queryFn: ({ signal }) => call(operations.trustedFile.list, {}, signal),
  // A terminal may have trusted a file meanwhile.
  staleTime: 0,
})

export const runsPage = 50

export const runsQuery = (state?: RunState, organisationId?: number) =>
  infiniteQueryOptions({
    queryKey: [...keys.runs, state ?? 'all', organisationId ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      call(
        operations.run.list,
        { state, order: 'open_first', organisationId, limit: runsPage, before: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.runs.length < runsPage ? undefined : last.runs.at(-1)?.id),
  })

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.run(runId),
    // The log loads the events itself, page by page.
    queryFn: ({ signal }) => call(operations.run.inspect, { runId, events: 0 }, signal),
  })
export type Inspection = Awaited<ReturnType<NonNullable<ReturnType<typeof runQuery>['queryFn']>>>

/**
 * The run without its briefs and other parts: for a card outside its page, and for the page until the inspection has
 * arrived, which grows with the number of briefs.
 */
export const runLineQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.run(runId), 'alone'],
    queryFn: ({ signal }) => call(operations.run.show, { runId }, signal),
  })

/** Gates and questions that wait for the operator, oldest first. */
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

/** Failed runs that were not dismissed, with their failed briefs. */
const failedPage = 50

export const failedQuery = queryOptions({
  queryKey: [...keys.waiting, 'failed'],
  queryFn: async ({ signal }) => {
    const [failed, { briefs }] = await Promise.all([
      call(operations.run.list, { state: 'failed', dismissed: 'false', limit: failedPage }, signal),
      call(operations.brief.list, { status: 'failed', limit: 200 }, signal),
    ])
    return {
      runs: failed.runs.map((run) => ({ run, briefs: briefs.filter((brief) => brief.runId === run.id) })),
      mayBeMore: failed.runs.length === failedPage,
    }
  },
})

/** One event with its data, which the log does not hold for every line. */
export const eventQuery = (at: { runId: string; seq: number } | { position: number }) =>
  queryOptions({
    queryKey: [...keys.event, at],
    queryFn: async ({ signal }) => {
      const page =
        'runId' in at
          ? await call(operations.event.ofRun, { runId: at.runId, after: at.seq - 1, limit: 1 }, signal)
          : await call(operations.event.list, { after: at.position - 1, limit: 1 }, signal)
      return page.events[0] ?? null
    },
  })
