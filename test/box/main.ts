import { attacks } from './attacks.ts'
import { type Attack, runAttack } from './fixture.ts'

/** Runs every attack as the current user, and prints each result: for users other than that of the tests. */
const pending = [...attacks]
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let attack = pending.shift(); attack !== undefined; attack = pending.shift())
      console.log(JSON.stringify({ name: attack.name, ...(await resultOf(attack)) }))
  }),
)

async function resultOf(attack: Attack): Promise<object> {
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
