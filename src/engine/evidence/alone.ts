import type { Evidence } from '../../work/evidence/contract.ts'
import type { Checkout } from '../../workspaces/port.ts'

/** An item of evidence that starts processes of the work. */
interface Turn {
  readonly item: number
  readonly evidence: Evidence
}

interface Turns<Found> {
  /** Looks at one item: in the place of the first one without a place of its own. */
  look(turn: Turn, place: Checkout | null): Promise<Found>
  /** Opens a further place, as fresh as the first one. */
  another(): Promise<Checkout>
  /** Reports whether an item may rest on the files that an earlier one leaves behind. */
  mayFollow(item: number, earlier: number): boolean
}

/**
 * Gives each command and server a place of its own, because code of the work that one of them runs could prepare the place
 * for the next one. An item that does not hold alone may need the files that an earlier one builds: it is looked at once more after
 * those before it, and `onlyAfter` lists them.
 */
export function createTurns<Found extends { readonly passed: boolean }>({ look, another, mayFollow }: Turns<Found>) {
  const earlier: Turn[] = []
  let hasFailed = false
  const inAnother = async <T>(use: (place: Checkout) => Promise<T>): Promise<T> => {
    const place = await another()
    try {
      return await use(place)
    } finally {
      await place.remove()
    }
  }
  return async (turn: Turn): Promise<Found & { readonly alone?: Found; readonly onlyAfter?: readonly Evidence[] }> => {
    const before = earlier.filter(({ item }) => mayFollow(turn.item, item))
    const isFirst = earlier.length === 0
    earlier.push(turn)
    const alone = isFirst ? await look(turn, null) : await inAnother((place) => look(turn, place))
    // After a failure the work is sent back anyway: further repetitions would only take time.
    if (alone.passed || before.length === 0 || hasFailed) {
      hasFailed ||= !alone.passed
      return alone
    }
    const after = await inAnother(async (place) => {
      for (const each of before) await look(each, place)
      return look(turn, place)
    })
    hasFailed = !after.passed
    return after.passed ? { ...after, alone, onlyAfter: before.map(({ evidence }) => evidence) } : after
  }
}
