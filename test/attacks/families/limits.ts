import { defineFamily } from '../contract.ts'
import { hideAttacks } from '../limits/hide.ts'
import { reachAttacks } from '../limits/reach.ts'
import { openLimitsStage } from '../limits/stage.ts'
import { useAttacks } from '../limits/use.ts'

export const limits = defineFamily({
  name: 'limits',
  about: 'commands that pass the limits of their box, or leave files that outlive it',
  open: openLimitsStage,
  close: (stage) => stage.close(),
  jobs: 4,
  attacks: [...useAttacks, ...hideAttacks, ...reachAttacks],
})
