import { bind, type Route } from '../../operations/bind.ts'
import { workspaceOperations } from './contract.ts'
import type { MissionWorkspaces } from './service.ts'

export const workspaceRoutes = (workspaces: MissionWorkspaces): Route[] =>
  bind(workspaceOperations, {
    create: (by, input) => workspaces.create(by, input),
    list: (_, query) => workspaces.list(query),
    disk: () => workspaces.disk(),
    show: (_, { missionId }) => workspaces.show(missionId),
    files: (_, { missionId, path }) => workspaces.files(missionId, path),
    file: (_, { missionId, path, from }) => workspaces.file(missionId, path, from),
    check: (_, input) => workspaces.check(input),
    remove: (by, { missionId, force }) => workspaces.remove(by, missionId, force),
  })
