/** The way to prepare a clean clone for its checks. */
export interface SetupPlan {
  /** The command by which people know it. */
  readonly command: string
  readonly install: Installation
  /**
   * The rest of the setup, which runs programs of the packages and of the commit itself, so that it sees neither the
   * caches nor the operator's files. Null: `install` does everything.
   */
  readonly build: string | null
  /**
   * `install` runs no code of the commit, so that later setups may trust the cache which it leaves. Any other has an
   * empty cache of its own: a commit could put a package there on which the check of another one would rest.
   */
  readonly keepsCache?: boolean
  /** Further variables of `install`. */
  readonly environment?: Readonly<Record<string, string>>
  /** The files that determine the result of `install`; null: any file of the commit may. */
  readonly inputs: readonly string[] | null
  /** The programs that determine it, as found in the PATH. */
  readonly programs: readonly string[]
  /** The second try begins with a clean clone again: the first may have left files on which the command fails. */
  readonly repeatsOnCleanClone?: boolean
  /** A directory of the checkout with installed programs, which checks find by their names. */
  readonly installedPrograms?: string
}

export interface Installation {
  readonly online: string
  /** The command that uses caches only; by default the same, because most tools take that from the environment. */
  readonly offline?: string
}

/** Files of the checkout as they are in the commit. */
export interface CommitFiles {
  /** Resolves to the text of a regular file, or to null. */
  read(path: string): Promise<string | null>
  isDirectory(path: string): Promise<boolean>
}
