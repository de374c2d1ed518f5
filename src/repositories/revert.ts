import type { Author } from './author.ts'
import { authorEnvironment } from './author.ts'
import type { Git } from './git.ts'

export interface Reverting {
  readonly mirror: string
  /** The commit that landed, and the commit of the branch before it. */
  readonly merged: string
  readonly base: string
  readonly message: string
  readonly author: Author
}

/**
 * Creates the commit that takes a landed result back: the files from before it, on top of it. Merging it into a branch
 * that has moved on takes back the changes of the result alone, because the result is the common ancestor. No ref
 * points to it yet, and no working tree or hook takes part.
 */
export async function makeRevert(git: Git, { mirror, merged, base, message, author }: Reverting): Promise<string> {
  const tree = await git.ask(['rev-parse', '--verify', '--end-of-options', `${base}^{tree}`], { gitDir: mirror })
  return git.ask(['commit-tree', tree, '-p', merged], {
    gitDir: mirror,
    input: `${message.trim()}\n`,
    environment: authorEnvironment(author, git.clock),
  })
}
