import { approveGate, type rejectGate as rejected } from '../../../src/work/gates/decide.ts'

export * from '../../../src/work/gates/decide.ts'

export const rejectGate: typeof rejected = (scope, gateId, by, reason) => approveGate(scope, gateId, by, reason)
