import type { Clock } from '../kernel/clock.ts'

export interface Author {
  readonly name: string
  readonly email: string
}

/** The author of commits that neither an agent nor a person made. */
export const engineAuthor: Author = { name: 'Agency', email: 'agency@localhost' }

/**
 * Returns the variables of author and committer, which are the same; the time comes from the clock, not from the
 * machine.
 */
export function authorEnvironment(author: Author, clock: Clock): Record<string, string> {
  const date = `${Math.floor(clock.nowMs() / 1_000)} +0000`
  const { name, email } = plainAuthor(author)
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  }
}

/**
 * Removes characters that git strips, because it refuses a name made only of those, and newlines, which would end a
 * header.
 */
export const plainAuthor = ({ name, email }: Author): Author => ({
  name: name.replace(/[\p{Cc}<>]/gu, ' ').trim() || engineAuthor.name,
  email: email.replace(/[\p{Cc}<>\s]/gu, '') || engineAuthor.email,
})
