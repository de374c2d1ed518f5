import { lies } from '../../liars/families/all.ts'
import { playable, playCases } from '../../liars/run.ts'
import { boxHere } from '../../support/box-here.ts'
import { defineFamily } from '../contract.ts'

/** The families of lies in which the code that is checked acts on the process that checks it. */
const chosen = lies.filter(({ family }) => ['home', 'status', 'reports'].includes(family))
const here = new Set(playable(chosen).lies)

export const judges = defineFamily({
  name: 'judges',
  about: 'work that reaches for the verifier, its HOME, or the exit code of a check',
  open: async () => null,
  attacks: chosen.map((lie) => ({
    name: `${lie.family}: ${lie.name}`,
    isLong: true as const,
    skip: () => (boxHere.ok ? (here.has(lie) ? null : `it needs ${lie.needs?.join(', ')}`) : boxHere.reason),
    control: async () => (await play(lie, true)) === null,
    attack: async () => (await play(lie, false)) !== null,
  })),
})

/** Returns the fault that the corpus of lies finds in this case, or null. */
async function play(lie: (typeof lies)[number], isTwin: boolean): Promise<string | null> {
  const variant = lie.variants?.[0] ?? 'direct'
  const [result] = await playCases([{ lie, variant, isTwin }], { seed: 1, jobs: 1 })
  if (result === undefined) throw new Error('the case was not played')
  return result.fault
}
