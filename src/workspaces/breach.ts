import type { Breach } from './port.ts'

/** In one line, for logs, corrections and people. */
export const breachText = ({ limit, used, allowed }: Breach): string =>
  `limit_exceeded: ${limit} (${used} of ${allowed}${limit === 'processes' ? '' : ' MB'})`

/** What it changed of ours where no box prevented it. */
export const violationText = (names: readonly string[]): string =>
  `workspace_violation: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''} changed, put back`
