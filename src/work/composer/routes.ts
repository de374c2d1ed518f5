import { bind, type Route } from '../../operations/bind.ts'
import { composerOperations } from './contract.ts'
import type { Composer } from './service.ts'

export const composerRoutes = (composer: Composer): Route[] =>
  bind(composerOperations, {
    choices: () => composer.choices(),
    repository: (_, { path }) => composer.repository(path),
    check: async (_, { commands, repo }) => ({ commands: await composer.check(commands, repo) }),
    estimate: (_, { playbook, runtime }) => composer.estimate(playbook, runtime),
  })
