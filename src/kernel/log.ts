export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Record<string, unknown>

/** Log that the operator may read later. Writing to it never throws and never blocks. */
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>

export const noLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
