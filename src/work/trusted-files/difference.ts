const maxLines = 400

/**
 * Returns the lines between the first and the last that differ, those of the earlier text first. Many lines are cut:
 * the commands of a file are listed in full beside them.
 */
export function differenceOf(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const gone = old.slice(start, old.length - end).map((line) => `- ${line}`)
  const added = now.slice(start, now.length - end).map((line) => `+ ${line}`)
  return [...cut(gone), ...cut(added)]
}

const cut = (lines: readonly string[]): string[] =>
  lines.length <= maxLines ? [...lines] : [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more lines`]
