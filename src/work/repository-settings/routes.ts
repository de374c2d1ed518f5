import { bind, type Route } from '../../operations/bind.ts'
import { repositorySettingsOperations } from './contract.ts'
import type { RepositorySettingsService } from './service.ts'

export const repositorySettingsRoutes = (settings: RepositorySettingsService): Route[] =>
  bind(repositorySettingsOperations, {
    list: () => settings.list(),
    show: (_, { path }) => settings.show(path),
    set: (by, input) => settings.set(by, input),
  })
