import { approveGate, type rejectGate as rejected } from '../../../src/engine/gates.ts'

export * from '../../../src/engine/gates.ts'

export const rejectGate: typeof rejected = (scope, gateId, by, reason) => approveGate(scope, gateId, by, reason)
