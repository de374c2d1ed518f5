import type { Breach } from './port.ts'

/** Describes a breach in one line, for logs, corrections and people. */
export const breachText = ({ limit, used, allowed, withThreads }: Breach): string =>
  `limit_exceeded: ${limit} (${used}${withThreads === true ? ' with threads,' : ''} of ${allowed}${isInMb(limit) ? ' MB' : ''})`

const isInMb = (limit: Breach['limit']): boolean => limit === 'memory' || limit === 'disk'

/** Describes which of Agency's own files a process changed where no box prevented it. */
export const violationText = (names: readonly string[]): string =>
  `workspace_violation: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''} changed and restored`
