/** The input of the probe: how the server is started, and which URL is requested. */
export interface ProbeRequest {
  readonly start: string
  /** A loopback address; `{port}` stands for a free port. */
  readonly url: string
  readonly timeoutMs: number
  /** Ports that are neither requested nor given to the server: those of the daemon. */
  readonly refusedPorts: readonly number[]
  readonly maxBodyBytes: number
}

/** The outcome of a probe. */
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
  /** The end of the server's output. */
  readonly log: string
}
