import type { Playbook } from '../../../src/playbooks/contract.ts'
import { direct as original } from '../../../src/playbooks/direct/decide.ts'

export const direct: Playbook = {
  ...original,
  decide: (view, event) =>
    original.decide(
      { ...view, run: { ...view.run, configuration: { ...view.run.configuration, planGate: false } } },
      event,
    ),
}
