import type { Playbook } from '../../../src/playbooks/contract.ts'
import { direct as original } from '../../../src/playbooks/direct/decide.ts'

export const direct: Playbook = {
  ...original,
  decide: (view, trigger) =>
    original.decide(view, trigger.kind === 'gate_rejected' ? { kind: 'gate_approved', gate: trigger.gate } : trigger),
}
