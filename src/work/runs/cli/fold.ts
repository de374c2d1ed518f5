import type { TreeLine } from './tree.ts'

/** Returns the keys of the lines that are folded at first: the parts that are finished. */
export const finishedKeys = (tree: readonly TreeLine[]): ReadonlySet<string> =>
  new Set(tree.flatMap(({ key, isFinished }) => (key !== undefined && isFinished ? [key] : [])))

/** Returns the lines that are shown, each folded line with the number of lines that it hides. */
export function foldLines(tree: readonly TreeLine[], folded: ReadonlySet<string>): TreeLine[] {
  const shown: TreeLine[] = []
  for (let index = 0; index < tree.length;) {
    const line = tree[index] as TreeLine
    let end = index + 1
    while ((tree[end]?.depth ?? -1) > line.depth) end += 1
    const hidden = end - index - 1
    const isFoldable = line.key !== undefined && hidden > 0
    const isFolded = isFoldable && folded.has(line.key as string)
    const mark = isFolded ? `▸ ${line.text}  (${hidden})` : `▾ ${line.text}`
    shown.push(isFoldable ? { ...line, text: mark } : line)
    index = isFolded ? end : index + 1
  }
  return shown
}

/** Folds a line or unfolds it. */
export function toggleFold(folded: ReadonlySet<string>, key: string | undefined): ReadonlySet<string> {
  if (key === undefined) return folded
  const next = new Set(folded)
  if (!next.delete(key)) next.add(key)
  return next
}
