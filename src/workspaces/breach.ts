import type { Breach } from './port.ts'

/** Describes a breach in one line, for logs, corrections and people. */
export const breachText = ({ limit, used, allowed }: Breach): string =>
  `limit_exceeded: ${limit} (${used} of ${allowed}${limit === 'processes' ? '' : ' MB'})`

/** Describes which of Agency's own files a process changed where no box prevented it. */
export const violationText = (names: readonly string[]): string =>
  `workspace_violation: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''} changed and restored`
