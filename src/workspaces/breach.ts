import type { Breach } from './port.ts'

/** In one line, for logs, corrections and people. */
export const breachText = ({ limit, used, allowed }: Breach): string =>
  `limit_exceeded: ${limit} (${used} of ${allowed}${limit === 'processes' ? '' : ' MB'})`
