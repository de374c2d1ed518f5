/**
 * Calls a listener after a commit. An exception is a bug of the listener and reaches the process's one boundary for
 * bugs; it can neither undo the commit nor keep the other listeners from being called.
 */
export function announce(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
