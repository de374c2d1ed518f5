import { bind, type Route } from '../../operations/bind.ts'
import { missionOperations } from './contract.ts'
import type { Missions } from './service.ts'

export const missionRoutes = (missions: Missions): Route[] =>
  bind(missionOperations, {
    create: (by, input) => missions.create(by, input),
    list: (_, { status, limit, organisationId }) => missions.list(status, limit, organisationId),
    show: (_, { missionId }) => missions.show(missionId),
    update: (by, { missionId, status, reason }) => missions.move(by, missionId, status, reason),
  })
