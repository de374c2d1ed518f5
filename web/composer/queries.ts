import { queryOptions } from '@tanstack/react-query'

import { operations } from '../../src/operations/all.contract.ts'
import { call } from '../client.ts'

/** Programs, files and repositories change without an event, so nothing here is kept for long. */
const fresh = { staleTime: 0 } as const

export const choicesQuery = queryOptions({
  queryKey: ['composer', 'choices'],
  queryFn: ({ signal }) => call(operations.composer.choices, {}, signal),
  ...fresh,
})

export const templatesQuery = queryOptions({
  queryKey: ['composer', 'templates'],
  queryFn: ({ signal }) => call(operations.template.list, {}, signal),
  ...fresh,
})

export const repositoryQuery = (path: string) =>
  queryOptions({
    queryKey: ['composer', 'repository', path],
    queryFn: ({ signal }) => call(operations.composer.repository, { path }, signal),
    ...fresh,
  })

export const commandsQuery = (commands: readonly string[], repo: string | null) =>
  queryOptions({
    queryKey: ['composer', 'check', commands, repo],
    queryFn: ({ signal }) =>
      call(operations.composer.check, { commands: [...commands], ...(repo === null ? {} : { repo }) }, signal),
    ...fresh,
  })

export const estimateQuery = (playbook: string | undefined, runtime: string) =>
  queryOptions({
    queryKey: ['composer', 'estimate', playbook, runtime],
    queryFn: ({ signal }) => call(operations.composer.estimate, { playbook, runtime }, signal),
    ...fresh,
  })
