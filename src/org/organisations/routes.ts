import { bind, type Route } from '../../operations/bind.ts'
import { organisationOperations } from './contract.ts'
import type { Organisations } from './service.ts'

export const organisationRoutes = (organisations: Organisations): Route[] =>
  bind(organisationOperations, {
    create: (by, input) => organisations.create(by, input),
    list: (_, { all }) => organisations.list(all),
    show: (_, { org }) => organisations.show(org),
    update: (by, { org, ...patch }) => organisations.update(by, org, patch),
    status: (_, { org }) => organisations.status(org),
    settings: (_, { org, key }) => organisations.settings(org, key),
    set: (by, { org, key, value }) => organisations.set(by, org, key, value),
    readIntent: (_, { org }) => organisations.readIntent(org),
    writeIntent: (by, { org, text }) => organisations.writeIntent(by, org, text),
  })
