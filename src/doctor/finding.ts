/** The result of examining one part. `next` is the step to take. */
export interface Finding {
  name: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  next?: string
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail })
export const warn = (name: string, detail: string, next: string): Finding => ({ name, status: 'warn', detail, next })
export const fail = (name: string, detail: string, next?: string): Finding =>
  next === undefined ? { name, status: 'fail', detail } : { name, status: 'fail', detail, next }

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
