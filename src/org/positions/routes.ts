import { bind, type Route } from '../../operations/bind.ts'
import { positionOperations } from './contract.ts'
import type { Positions } from './service.ts'

export const positionRoutes = (positions: Positions): Route[] =>
  bind(positionOperations, {
    create: (by, { org, ...input }) => positions.create(by, org, input),
    list: (_, { org }) => positions.list(org),
    show: (_, { positionId }) => positions.show(positionId),
    update: (by, { positionId, ...input }) => positions.update(by, positionId, input),
    remove: (by, { positionId, ...input }) => positions.remove(by, positionId, input),
    setAuthority: (by, { positionId, ...limit }) => positions.setAuthority(by, positionId, limit),
    listAuthority: (_, { positionId }) => positions.listAuthority(positionId),
    clearAuthority: (by, { positionId, kind }) => positions.clearAuthority(by, positionId, kind),
  })
