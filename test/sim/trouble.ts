/** How a write is refused that meets a full disk: of our making, so that nobody takes it for a bug. */
export const fullDisk = 'the disk is full (simulated)'

export const isOurs = (error: unknown): boolean => String(error).includes(fullDisk)

export const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
