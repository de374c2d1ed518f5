import { depths } from '../../../cli/commands/new.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { Run } from '../../runs/contract.ts'
import type { Template } from '../../templates/contract.ts'

/** Returns the settings of an earlier run for a new one; its plan and its team file are none of them. */
export function settingsOfRun({ playbook, configuration, repository }: Wire<Run>): Wire<Template>['run'] {
  const {
    verify,
    planner,
    plan_gate: planGate,
    acceptance,
    on_limit: onLimit,
    retry_budget: retryBudget,
  } = configuration
  const direct = {
    verify,
    planner,
    plan_gate: planGate,
    acceptance,
    on_limit: onLimit,
    retry_budget: retryBudget,
    ...(configuration.token_budget === null ? {} : { token_budget: configuration.token_budget }),
  }
  return {
    playbook,
    ...(playbook === depths.one ? direct : {}),
    runtime: configuration.runtime,
    runtime_options: configuration.runtime_options,
    evidence: configuration.evidence,
    mode: configuration.mode,
    ...(configuration.cost_limit === null ? {} : { cost_limit: configuration.cost_limit }),
    ...(repository === null ? {} : { repo: repository.path, base: repository.branch }),
    ...(typeof configuration.setup === 'string' ? { setup: configuration.setup } : {}),
    ...(configuration.protected === undefined ? {} : { protected: configuration.protected }),
  }
}
