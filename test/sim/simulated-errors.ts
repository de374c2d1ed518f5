/** Messages of simulated trouble, by which the simulation distinguishes it from a bug. */
export const fullDisk = 'the disk is full (simulated)'
export const lostAnswer = 'the answer to a commit is lost (simulated)'
export const playbookFault = 'the playbook fails (simulated)'
export const failedRead = 'the store does not answer (simulated)'
export const gitFault = 'git fails: No space left on device (simulated)'
export const lockedRepository = 'cannot lock ref (simulated)'
export const cutOff = 'the network is cut (simulated)'
/** The file by which a simulated operator locks main for the real git. */
export const lockFile = 'refs/heads/main.lock'

export const isSimulated = (error: unknown): boolean =>
  [fullDisk, lostAnswer, failedRead, playbookFault, gitFault, lockedRepository, lockFile, cutOff].some((message) =>
    String(error).includes(message),
  )

/** Reports whether the request may have taken effect although it failed. */
export const mayHaveHappened = (error: unknown): boolean =>
  [lostAnswer, failedRead, gitFault, cutOff].some((message) => String(error).includes(message))

export const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
