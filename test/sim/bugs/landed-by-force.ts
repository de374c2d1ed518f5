import { moveRefs as moved } from '../repositories/move-refs.ts'

/** Moves the operator's main wherever it is: commits that came meanwhile are lost. */
export const moveRefs: typeof moved = (refs, moves) =>
  moved(
    refs,
    moves.map((move) => (move.ref === 'refs/heads/main' ? { ...move, from: refs.get(move.ref) ?? null } : move)),
  )
