/** Commands of evidence. A real shell and the stand-in for it give the same answer. */
export const listFiles = 'ls'

/** Fails if two briefs have each claimed a name, and no file settles the matter. */
export const checkClaims = 'test -e settled.md || test "$(ls claim-*.md 2>/dev/null | wc -l)" -le 1'

export const settledFile = 'settled.md'
export const claimOf = (subject: string): string => `claim-${subject}.md`

export const listed = (names: Iterable<string>): string[] =>
  [
    ...new Set([...names].filter((name) => !name.startsWith('.')).map((name) => name.split('/')[0] as string)),
  ].toSorted()

export const areClaimsSettled = (names: readonly string[]): boolean =>
  names.includes(settledFile) || names.filter((name) => /^claim-.*\.md$/.test(name)).length <= 1
