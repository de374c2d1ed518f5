/** What the probe is told: how a server is started and what it is asked. */
export interface ProbeRequest {
  readonly start: string
  /** Loopback; `{port}` stands for a free one. */
  readonly url: string
  readonly timeoutMs: number
  /** Ports that are never asked, nor given to the server: our own. */
  readonly refusedPorts: readonly number[]
  readonly maxBodyBytes: number
}

/** What came of it. */
export type ProbeResult = (
  | {
      readonly outcome: 'answered'
      readonly status: number
      readonly bytes: number
      readonly sha256: string
      /** The beginning of the body. */
      readonly body: string
    }
  | { readonly outcome: 'failed'; readonly why: string }
) & {
  /** The end of what the server printed. */
  readonly log: string
}
