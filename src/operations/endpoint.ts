export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** The address of one operation. It loads nothing, so that contracts, the command line and agents share one table. */
export interface Endpoint {
  readonly method: Method
  /** Below `/api`; `:run_id` is the input's `run_id`. */
  readonly path: string
}

export const get = (path: string): Endpoint => ({ method: 'GET', path })
export const post = (path: string): Endpoint => ({ method: 'POST', path })
export const patch = (path: string): Endpoint => ({ method: 'PATCH', path })
export const put = (path: string): Endpoint => ({ method: 'PUT', path })
export const remove = (path: string): Endpoint => ({ method: 'DELETE', path })
