import { queryOptions } from '@tanstack/react-query'

import { workspaceOperations } from '../../src/work/mission-workspaces/contract.ts'
import { call } from '../client.ts'
import { keys } from '../queries.ts'

export const workspacesQuery = queryOptions({
  queryKey: [...keys.workspaces, 'list'],
  queryFn: ({ signal }) => call(workspaceOperations.list, { limit: 500 }, signal),
  staleTime: 0,
})

export const diskQuery = queryOptions({
  queryKey: [...keys.workspaces, 'disk'],
  queryFn: ({ signal }) => call(workspaceOperations.disk, {}, signal),
  staleTime: 0,
})

export const workspaceQuery = (missionId: string) =>
  queryOptions({
    queryKey: [...keys.workspaces, missionId],
    queryFn: ({ signal }) => call(workspaceOperations.show, { missionId }, signal),
  })

/** Files change without an event, so a folder is fetched again each time it is opened. */
export const filesQuery = (missionId: string, path: string) =>
  queryOptions({
    queryKey: [...keys.workspaces, missionId, 'files', path],
    queryFn: ({ signal }) => call(workspaceOperations.files, { missionId, path: path === '' ? '.' : path }, signal),
    staleTime: 0,
  })

export const fileQuery = (missionId: string, path: string) =>
  queryOptions({
    queryKey: [...keys.workspaces, missionId, 'file', path],
    queryFn: ({ signal }) => call(workspaceOperations.file, { missionId, path }, signal),
    staleTime: 0,
  })
