export interface RefMove {
  readonly ref: string
  /** Null: the ref must be new. */
  readonly from: string | null
  readonly to: string
}

/** Moves all refs by compare-and-swap, or none if one is no longer at its `from`. */
export function moveRefs(refs: Map<string, string>, moves: readonly RefMove[]): boolean {
  if (moves.some(({ ref, from }) => (refs.get(ref) ?? null) !== from)) return false
  for (const { ref, to } of moves) refs.set(ref, to)
  return true
}
