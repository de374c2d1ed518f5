import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Configuration } from '../config/contract.ts'
import type { HostChecks } from '../work/repository-settings/contract.ts'

/** Returns the commands that the configuration allows outside any box, by the real path of their repository. */
export const hostChecksOf = ({ checks }: Pick<Configuration, 'checks'>): ReadonlyMap<string, HostChecks> =>
  new Map(checks.host.map(({ repository, ...host }) => [realPath(repository), host]))

/** A repository that does not exist now may exist when a run names it. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
