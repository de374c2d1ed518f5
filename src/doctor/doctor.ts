import { existsSync } from 'node:fs'

import { notifierName } from '../adapters/notify/contract.ts'
import type { Configuration } from '../config/contract.ts'
import { loadConfiguration } from '../config/load.ts'
import type { HomePaths } from '../daemon/home.ts'
import type { Clock } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import { type DaemonProbe, examineDaemon } from './daemon.ts'
import { type Finding, fail, ok, reasonOf } from './finding.ts'
import { examineHome } from './home.ts'
import { examineMachine, runtimesFound } from './machine.ts'
import { examineModels } from './models.ts'
import { examineSandbox } from './sandbox.ts'
import { examineStore, type StoreWishes } from './store.ts'
import { examineTeam } from './team.ts'

export interface DoctorDeps {
  paths: HomePaths
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** What the daemon says of itself, null when none answers. */
  probe: DaemonProbe
}

/** Looks at everything and changes nothing. Nothing that is broken keeps the rest from being looked at. */
export async function examine(deps: DoctorDeps, wishes: StoreWishes): Promise<Finding[]> {
  const { paths, env } = deps
  const findings: Finding[] = [...examineMachine(env), ...examineHome(paths)]
  let configuration: Configuration | null = null
  try {
    configuration = loadConfiguration({ env, home: paths }).values
    findings.push(
      ok('config', existsSync(paths.config) ? paths.config : `no ${paths.config}; environment and defaults`),
    )
  } catch (error) {
    findings.push(fail('config', reasonOf(error), error instanceof AgencyError ? error.hint : undefined))
  }
  if (configuration !== null)
    findings.push(examineTeam(paths, { agents: runtimesFound(env), defaultRuntime: configuration.defaultRuntime }))
  findings.push(examineModels(env, configuration?.llm))
  findings.push(await examineSandbox(env, configuration?.box))
  findings.push(...(await examineDaemon(deps, configuration)))
  const notifiers = configuration?.notify.map(notifierName) ?? null
  findings.push(...(await examineStore({ ...deps, notifiers }, configuration?.databaseUrl ?? null, wishes)))
  return findings
}
