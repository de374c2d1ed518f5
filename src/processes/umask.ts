/** The umask that this process was started with; null: it still has it. */
let inherited: number | null = null

/** Makes every file that this process creates from now on readable for its owner only. */
export function closeNewFiles(): void {
  inherited ??= process.umask(0o077)
}

/**
 * Starts a process with the umask of the operator: files that it writes into a repository, and those that a check looks
 * at, get their usual permissions. The umask belongs to the whole process, so a file that another thread creates during
 * the start may get them too; such files are in directories that are closed themselves.
 */
export function withInheritedUmask<Child>(start: () => Child): Child {
  if (inherited === null) return start()
  const closed = process.umask(inherited)
  try {
    return start()
  } finally {
    process.umask(closed)
  }
}
