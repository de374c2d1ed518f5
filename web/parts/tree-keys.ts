import type { KeyboardEvent } from 'react'

/** The properties of a tree row that its keys depend on. */
export interface TreeRow {
  readonly level: number
  /** null: the row has nothing below it. */
  readonly expanded: boolean | null
}

export interface TreeActions {
  moveTo(index: number): void
  toggle(index: number): void
  choose(index: number): void
}

/** Handles a key: the arrow keys move, open and close, Enter and Space choose. */
export function onTreeKey(event: KeyboardEvent, rows: readonly TreeRow[], active: number, actions: TreeActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const found = actionOf(event.key, rows, active)
  if (found === null) return
  if (found.action !== 'moveTo' || rows[found.index] !== undefined) actions[found.action](found.index)
  event.preventDefault()
}

/**
 * Returns the action of a key on the active row, and the row that it applies to; null: the key has no action in a tree.
 */
export function actionOf(
  key: string,
  rows: readonly TreeRow[],
  active: number,
): { action: keyof TreeActions; index: number } | null {
  const row = rows[active]
  if (row === undefined) return null
  switch (key) {
    case 'ArrowDown':
      return { action: 'moveTo', index: active + 1 }
    case 'ArrowUp':
      return { action: 'moveTo', index: active - 1 }
    case 'Home':
      return { action: 'moveTo', index: 0 }
    case 'End':
      return { action: 'moveTo', index: rows.length - 1 }
    case 'ArrowRight':
      if (row.expanded === false) return { action: 'toggle', index: active }
      // It moves only into a row below; on a leaf it does nothing.
      return { action: 'moveTo', index: (rows[active + 1]?.level ?? 0) > row.level ? active + 1 : active }
    case 'ArrowLeft':
      return row.expanded === true
        ? { action: 'toggle', index: active }
        : { action: 'moveTo', index: rows.findLastIndex((each, at) => at < active && each.level < row.level) }
    case 'Enter':
    case ' ':
      return { action: 'choose', index: active }
    default:
      return null
  }
}

/** Returns a set with the key added, or removed if it was in the set. */
export function toggleKey<Key>(before: ReadonlySet<Key>, key: Key): ReadonlySet<Key> {
  const next = new Set(before)
  if (!next.delete(key)) next.add(key)
  return next
}
