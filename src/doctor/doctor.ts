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
import { examineStore, type StoreOptions } from './store.ts'
import { examineTeam } from './team.ts'

export interface DoctorDeps {
  paths: HomePaths
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** Resolves to the daemon's status, or to null when none responds. */
  probe: DaemonProbe
}

/** Examines the whole installation and changes nothing. A broken part does not keep the others from being examined. */
export async function examine(deps: DoctorDeps, options: StoreOptions): Promise<Finding[]> {
  const { paths, env } = deps
  const findings: Finding[] = [...examineMachine(env), ...(await examineHome(paths))]
  let configuration: Configuration | null = null
  try {
    configuration = loadConfiguration({ env, home: paths }).values
    findings.push(
      ok('config', existsSync(paths.config) ? paths.config : `no ${paths.config}; using the environment and defaults`),
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
  findings.push(...(await examineStore({ ...deps, notifiers }, configuration?.databaseUrl ?? null, options)))
  return findings
}
