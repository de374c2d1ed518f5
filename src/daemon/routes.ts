import { bind, type Route } from '../operations/bind.ts'
import { daemonOperations } from './contract.ts'
import type { DaemonService } from './service.ts'

export const daemonRoutes = (daemon: DaemonService): Route[] =>
  bind(daemonOperations, {
    status: () => daemon.status(),
    whoami: async (by) => daemon.whoami(by),
    stop: async () => daemon.stop(),
    link: async (_, input) => daemon.link(input),
  })
