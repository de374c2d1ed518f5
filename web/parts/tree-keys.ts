import type { KeyboardEvent } from 'react'

/** A line of a tree, as far as its keys are concerned. */
export interface TreeRow {
  readonly level: number
  /** null: nothing can be below it. */
  readonly expanded: boolean | null
}

export interface TreeMoves {
  moveTo(index: number): void
  toggle(index: number): void
  choose(index: number): void
}

/** The arrows move in it, open and close; Enter and Space choose: as in any tree. */
export function onTreeKey(event: KeyboardEvent, rows: readonly TreeRow[], active: number, moves: TreeMoves): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const meant = actionOf(event.key, rows, active)
  if (meant === null) return
  if (meant.does !== 'moveTo' || rows[meant.index] !== undefined) moves[meant.does](meant.index)
  event.preventDefault()
}

/** What a key does on a line, and to which; null: it is not the tree's. */
export function actionOf(
  key: string,
  rows: readonly TreeRow[],
  active: number,
): { does: keyof TreeMoves; index: number } | null {
  const row = rows[active]
  if (row === undefined) return null
  switch (key) {
    case 'ArrowDown':
      return { does: 'moveTo', index: active + 1 }
    case 'ArrowUp':
      return { does: 'moveTo', index: active - 1 }
    case 'Home':
      return { does: 'moveTo', index: 0 }
    case 'End':
      return { does: 'moveTo', index: rows.length - 1 }
    case 'ArrowRight':
      if (row.expanded === false) return { does: 'toggle', index: active }
      // Only into what is below it: on a leaf it goes nowhere.
      return { does: 'moveTo', index: (rows[active + 1]?.level ?? 0) > row.level ? active + 1 : active }
    case 'ArrowLeft':
      return row.expanded === true
        ? { does: 'toggle', index: active }
        : { does: 'moveTo', index: rows.findLastIndex((each, at) => at < active && each.level < row.level) }
    case 'Enter':
    case ' ':
      return { does: 'choose', index: active }
    default:
      return null
  }
}

/** With one more, or without one that was there. */
export function toggleKey<Key>(before: ReadonlySet<Key>, key: Key): ReadonlySet<Key> {
  const next = new Set(before)
  if (!next.delete(key)) next.add(key)
  return next
}
