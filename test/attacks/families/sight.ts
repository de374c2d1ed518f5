import { boxHere } from '../../support/box-here.ts'
import { defineFamily } from '../contract.ts'
import { callAttacks, setIdAttacks } from '../sight/calls.ts'
import { daemonAttacks } from '../sight/daemon.ts'
import { pathAttacks } from '../sight/paths.ts'
import { placeAttacks } from '../sight/places.ts'
import { openSightStage } from '../sight/stage.ts'

export const sight = defineFamily({
  name: 'sight',
  about: 'commands and descriptors that would show a box more than it may see',
  open: openSightStage,
  close: (stage) => stage.close(),
  jobs: 3,
  attacks: [...daemonAttacks, ...pathAttacks, ...placeAttacks, ...callAttacks, ...setIdAttacks].map((each) => ({
    ...each,
    skip: () => (boxHere.ok ? (each.skip?.() ?? null) : boxHere.reason),
  })),
})
