import { classifyEnd as classified } from '../../../src/engine/attempt/classify-end.ts'

export * from '../../../src/engine/attempt/classify-end.ts'

/** Ignores a report if the daemon died before the end of its agent was recorded. */
export const classifyEnd: typeof classified = (end, reports) =>
  classified(end, end.reason === undefined ? reports : { ...reports, brought: [], sent: null })
