import { isTooDeep, maxDepth } from '../../kernel/nesting.ts'
import { fromWire } from '../../operations/wire.ts'
import { Report } from '../../work/attempts/contract.ts'

/**
 * Converts the report that a runtime delivers, as the API converts those that it receives. A report that would overflow
 * the stack becomes a text, which is rejected as malformed.
 */
export const readReport = (report: unknown): unknown =>
  isTooDeep(report) ? `nested deeper than ${maxDepth} levels` : fromWire(Report, report)
