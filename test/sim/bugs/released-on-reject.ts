import type { Playbook } from '../../../src/playbooks/contract.ts'
import { direct as original } from '../../../src/playbooks/direct/decide.ts'

export const direct: Playbook = {
  ...original,
  decide: (view, event) =>
    original.decide(view, event.kind === 'gate_rejected' ? { kind: 'gate_approved', gate: event.gate } : event),
}
