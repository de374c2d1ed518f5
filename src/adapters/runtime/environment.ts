/** The environment in which keys were looked up: the daemon's, as it was at its start, or that of the current command. */
export type EnvironmentSource = 'daemon' | 'shell'

/** Completes "none of …". */
export const isSetIn = (source: EnvironmentSource): string =>
  source === 'daemon' ? 'was set when the daemon started' : 'is set in this shell'

export const isNotSetIn = (source: EnvironmentSource): string =>
  source === 'daemon' ? 'was not set when the daemon started' : 'is not set in this shell'
