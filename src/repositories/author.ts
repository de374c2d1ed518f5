import type { Clock } from '../kernel/clock.ts'

export interface Author {
  readonly name: string
  readonly email: string
}

/** Who made what no agent and no person made. */
export const engineAuthor: Author = { name: 'Agency', email: 'agency@localhost' }

/** Author and committer are the same; the time is ours, not the machine's. */
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

/** Git refuses names that hold nothing but what it strips, and a newline would end a header. */
export const plainAuthor = ({ name, email }: Author): Author => ({
  name: name.replace(/[\p{Cc}<>]/gu, ' ').trim() || engineAuthor.name,
  email: email.replace(/[\p{Cc}<>\s]/gu, '') || engineAuthor.email,
})
