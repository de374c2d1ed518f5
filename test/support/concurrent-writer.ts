import { openPostgres } from '../../src/db/postgres.ts'
import type { Stream } from '../../src/db/port.ts'
import { nextCounter } from '../../src/db/tx.ts'
import { appendEvent } from '../../src/events/append.ts'
import { systemClock } from '../../src/kernel/clock.ts'

/**
 * `node concurrent-writer.ts <url> <seed> <rounds>`: a process that writes to three streams over eight connections at
 * once.
 */
const [url = '', seed = '1', rounds = '1'] = process.argv.slice(2)
const streams: Stream[] = ['run:a', 'run:b', 'run:c']
const counters = ['x', 'y', 'z']
const connections = 8

const db = await openPostgres({ url, clock: systemClock, chainKey: new Uint8Array(32).fill(7), connections })
const written: Record<string, number> = {}
await Promise.all(Array.from({ length: connections }, (_, index) => writeRounds(Number(seed) * connections + index)))
await db.close()
console.log(JSON.stringify(written))

async function writeRounds(start: number): Promise<void> {
  const next = randomFrom(start)
  for (let round = 0; round < Number(rounds); round++) {
    const named = shuffled(streams, next).slice(0, 1 + (next() % 3))
    // Sometimes counters in random order: a deadlock between writers that naming streams does not prevent.
    const counted = shuffled(counters, next).slice(0, next() % 16 === 0 ? 3 : 1)
    await db.write(named, async (tx) => {
      for (const name of counted) await nextCounter(tx, name)
      for (const stream of named)
        await appendEvent(tx, stream, { kind: 'log', by: 'daemon', message: `${start} ${round}` })
    })
    for (const name of [...named, ...counted]) written[name] = (written[name] ?? 0) + 1
  }
}

/** The generator of Numerical Recipes: the same seed gives the same writes. */
function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}

function shuffled<T>(values: readonly T[], next: () => number): T[] {
  return values
    .map((value) => ({ value, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}
