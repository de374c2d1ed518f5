import { bind, type Route } from '../../operations/bind.ts'
import { roleOperations } from './contract.ts'
import type { Roles } from './service.ts'

export const roleRoutes = (roles: Roles): Route[] =>
  bind(roleOperations, {
    create: (by, { name, description }) => roles.create(by, name, description),
    list: () => roles.list(),
    update: (by, { name, description }) => roles.update(by, name, description),
  })
