/** One line of JSON each way; the first line of a process says that it is ready. */
export interface Asked {
  /** So many steps, each with its verification. */
  readonly size: number
  readonly runs: number
}

export interface Timed {
  readonly seconds: number
  /** Of a processor, which tells more on a busy machine. */
  readonly cpuSeconds: number
}

/** What is in Agency's store when all was timed. */
export interface Examined {
  readonly findings: number
  readonly events: number
  readonly rows: number
  readonly eventsPerStep: number
}
