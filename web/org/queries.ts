import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { type Event, eventOperations } from '../../src/events/contract.ts'
import { assignmentOperations } from '../../src/org/assignments/contract.ts'
import { chartOperations } from '../../src/org/chart/contract.ts'
import { organisationOperations } from '../../src/org/organisations/contract.ts'
import { personaOperations } from '../../src/org/personas/contract.ts'
import { positionOperations } from '../../src/org/positions/contract.ts'
import { proposalOperations } from '../../src/org/proposals/contract.ts'
import { call } from '../client.ts'
import { keys } from '../queries.ts'

export const organisationsQuery = (archived = false) =>
  queryOptions({
    queryKey: [...keys.org, 'all', archived],
    queryFn: async ({ signal }) =>
      (await call(organisationOperations.list, { all: String(archived) }, signal)).organisations,
  })

export const orgQuery = (org: string) =>
  queryOptions({
    queryKey: [...keys.org, 'one', org],
    queryFn: ({ signal }) => call(organisationOperations.show, { org }, signal),
  })

export const chartQuery = (org: string) =>
  queryOptions({
    queryKey: [...keys.org, 'chart', org],
    queryFn: ({ signal }) => call(chartOperations.chart, { org }, signal),
  })
export type Chart = Awaited<ReturnType<NonNullable<ReturnType<typeof chartQuery>['queryFn']>>>

export const orgStatusQuery = (org: string) =>
  queryOptions({
    queryKey: [...keys.org, 'status', org],
    queryFn: ({ signal }) => call(organisationOperations.status, { org }, signal),
  })

export const seatQuery = (positionId: number) =>
  queryOptions({
    queryKey: [...keys.org, 'seat', positionId],
    queryFn: ({ signal }) => call(positionOperations.show, { positionId }, signal),
  })

/** Current and former assignments, newest first. */
export const assignmentsQuery = (org: string, positionId?: number) =>
  queryOptions({
    queryKey: [...keys.org, 'assignments', org, positionId ?? 'all'],
    queryFn: async ({ signal }) => {
      const { assignments } = await call(
        assignmentOperations.list,
        { org, includeHistory: 'true', ...(positionId === undefined ? {} : { positionId }) },
        signal,
      )
      return assignments.toSorted((a, b) => b.personaAssignmentId - a.personaAssignmentId)
    },
  })

export const vacanciesQuery = (org: string) =>
  queryOptions({
    queryKey: [...keys.org, 'vacancies', org],
    queryFn: async ({ signal }) => {
      const [{ vacancies }, { personas }] = await Promise.all([
        call(assignmentOperations.vacancies, { org }, signal),
        call(assignmentOperations.available, {}, signal),
      ])
      return { vacancies, available: personas }
    },
  })

export const proposalsQuery = (org: string) =>
  queryOptions({
    queryKey: [...keys.org, 'proposals', org],
    queryFn: async ({ signal }) => (await call(proposalOperations.list, { org, all: 'true' }, signal)).proposals,
  })

/** Only this many organisations are queried one by one: more requests would cost more than their information is worth. */
export const maxOrganisations = 12

/** Open proposals of all organisations, oldest first. */
export const openProposalsQuery = queryOptions({
  queryKey: [...keys.org, 'open proposals'],
  queryFn: async ({ signal }) => {
    const { organisations } = await call(organisationOperations.list, { all: 'false' }, signal)
    const lists = await Promise.all(
      organisations.slice(0, maxOrganisations).map(async (organisation) => {
        const { proposals } = await call(proposalOperations.list, { org: organisation.slug, all: 'false' }, signal)
        return proposals.map((proposal) => ({ proposal, organisation }))
      }),
    )
    return lists.flat().toSorted((a, b) => a.proposal.proposalId - b.proposal.proposalId)
  },
})

export const settingsQuery = (org: string) =>
  queryOptions({
    queryKey: [...keys.org, 'settings', org],
    queryFn: async ({ signal }) => (await call(organisationOperations.settings, { org }, signal)).settings,
  })

/** Files may be edited by hand without an event, so they are read again whenever they are shown. */
const fromFile = { staleTime: 0, refetchOnWindowFocus: true } as const

export const intentQuery = (org: string) =>
  queryOptions({
    queryKey: [...keys.org, 'intent', org],
    queryFn: ({ signal }) => call(organisationOperations.readIntent, { org }, signal),
    ...fromFile,
  })

export const personasQuery = (all = false) =>
  queryOptions({
    queryKey: [...keys.org, 'personas', all],
    queryFn: async ({ signal }) => (await call(personaOperations.list, { all: String(all) }, signal)).personas,
  })

export const personaQuery = (persona: string) =>
  queryOptions({
    queryKey: [...keys.org, 'persona', persona],
    queryFn: ({ signal }) => call(personaOperations.show, { persona }, signal),
  })

export const personaTextQuery = (persona: string, file: 'skill' | 'experience') =>
  queryOptions({
    queryKey: [...keys.org, file, persona],
    queryFn: async ({ signal }) =>
      (
        await call(
          file === 'skill' ? personaOperations.readSkill : personaOperations.readExperience,
          { persona },
          signal,
        )
      ).text,
    ...fromFile,
  })

const pageSize = 1_000

/**
 * All changes of the structure, newest first. The feed can only be read forwards: older pages are found by stepping
 * back.
 */
export const orgEventsQuery = (organisationId: number) =>
  infiniteQueryOptions({
    queryKey: [...keys.org, 'events', organisationId],
    queryFn: async ({ pageParam, signal }) => {
      const page = await changesBefore(pageParam, signal)
      return { ...page, events: page.events.filter((event) => event.stream === `org:${organisationId}`).reverse() }
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.from === 0 ? undefined : last.from),
  })

/** Fetches the changes before a position in the feed; all events from position `from` on were read. */
async function changesBefore(before: number | null, signal: AbortSignal): Promise<{ events: Event[]; from: number }> {
  if (before === null) {
    const { events } = await call(
      eventOperations.list,
      { latest: 'true', kind: 'org_changed', limit: pageSize },
      signal,
    )
    return { events, from: events.length < pageSize ? 0 : (events[0]?.position ?? 0) }
  }
  for (let step = pageSize; ; step *= 4) {
    const after = Math.max(0, before - 1 - step)
    const events = await changesBetween(after, before, signal)
    if (events.length > 0 || after === 0) return { events, from: after === 0 ? 0 : after + 1 }
  }
}

async function changesBetween(after: number, before: number, signal: AbortSignal): Promise<Event[]> {
  const found: Event[] = []
  for (let from = after; ;) {
    const { events } = await call(eventOperations.list, { after: from, kind: 'org_changed', limit: pageSize }, signal)
    found.push(...events.filter((event) => event.position < before))
    from = events.at(-1)?.position ?? before
    if (events.length < pageSize || from >= before) return found
  }
}
