import { attacks } from '../../box/attacks.ts'
import { runAttack } from '../../box/fixture.ts'
import { boxHere } from '../../support/box-here.ts'
import { defineFamily } from '../contract.ts'

export const box = defineFamily({
  name: 'box',
  about: 'commands that try to leave their box; without a box each succeeds',
  open: async () => null,
  jobs: 4,
  attacks: attacks.map((each) => ({
    name: each.name,
    skip: () => (boxHere.ok ? (each.skip?.() ?? null) : boxHere.reason),
    control: async () => (await runAttack(each, false)).breached,
    attack: async () => (await runAttack(each, true)).breached,
  })),
})
