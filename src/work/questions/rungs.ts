import type { Question, QuestionClass, Rung } from './contract.ts'

export const operatorRung: Rung = { kind: 'operator', name: 'operator', positionId: null }

/** Classes of questions that a rung below the operator may answer: they need no right and no money of hers. */
const climbing: ReadonlySet<QuestionClass> = new Set(['asked', 'bad_output', 'verification', 'crash'])

/** Reports whether a question climbs a ladder; every other one is the operator's at once. */
export const doesClimb = ({ class: cause, briefId, noteId }: Pick<Question, 'class' | 'briefId' | 'noteId'>): boolean =>
  briefId !== null && noteId === null && cause !== null && climbing.has(cause)

/**
 * Returns the whole way up: the given rungs, the lead of the organisation, the operator. A rung that occurs again is
 * left out, so that a ladder in a circle ends; nothing is above the operator.
 */
export function wholeLadder(wanted: readonly Rung[], lead: Rung | null): Rung[] {
  const rungs = new Map<string, Rung>()
  for (const rung of [...wanted, ...(lead === null ? [] : [lead])]) {
    if (rung.kind === 'operator') break
    if (!rungs.has(identityOf(rung))) rungs.set(identityOf(rung), rung)
  }
  return [...rungs.values(), operatorRung]
}

/** The lead of an organisation is also a seat of it. */
const identityOf = ({ kind, name, positionId }: Rung): string =>
  positionId === null ? `${kind} ${name}` : `seat ${positionId}`
