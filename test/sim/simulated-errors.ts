/** Message of a simulated full disk, by which the simulation distinguishes it from a bug. */
export const fullDisk = 'the disk is full (simulated)'

export const isSimulated = (error: unknown): boolean => String(error).includes(fullDisk)

export const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
