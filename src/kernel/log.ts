export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export type LogFields = Record<string, unknown>

/** Where a part says what the operator may want to read later. It never throws and never waits. */
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>

export const noLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
