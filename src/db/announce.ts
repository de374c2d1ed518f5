/**
 * Calls somebody after a commit. What they throw is a bug of theirs and reaches the process's one boundary for bugs;
 * it cannot undo the commit, nor keep the others from hearing of it.
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
