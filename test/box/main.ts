import { attacks } from './attacks.ts'
import { type Attack, runAttack } from './fixture.ts'

/** Plays every attack as whoever runs it, and prints what came of each: for those who are somebody else than the tests. */
const waiting = [...attacks]
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let attack = waiting.shift(); attack !== undefined; attack = waiting.shift())
      console.log(JSON.stringify({ name: attack.name, ...(await played(attack)) }))
  }),
)

async function played(attack: Attack): Promise<object> {
  const skipped = attack.skip?.() ?? null
  if (skipped !== null) return { skipped }
  try {
    const control = await runAttack(attack, false)
    const boxed = await runAttack(attack, true)
    return { control: control.breached, boxed: boxed.breached, output: [control.result.output, boxed.result.output] }
  } catch (error) {
    return { error: error instanceof Error ? error.stack : String(error) }
  }
}
