/** Requests and answers are one line of JSON each; the first line of a process reports that it is ready. */
export interface TimingRequest {
  /** Number of steps, each with its verification. */
  readonly size: number
  readonly runs: number
}

export interface Timing {
  readonly seconds: number
  /** Processor time, which is more meaningful than elapsed time on a busy machine. */
  readonly cpuSeconds: number
}

/** Content of Agency's store after all timings, and the findings of audit and replay. */
export interface StoreCheck {
  readonly findings: number
  readonly events: number
  readonly rows: number
  readonly eventsPerStep: number
}
