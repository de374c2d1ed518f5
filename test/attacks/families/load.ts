import { defineFamily } from '../contract.ts'
import { answerAttacks } from '../load/answers.ts'
import { bodyAttacks } from '../load/bodies.ts'
import { documentAttacks } from '../load/documents.ts'
import { fileAttacks } from '../load/files.ts'
import { openLoadStage } from '../load/stage.ts'
import { storeAttacks } from '../load/stores.ts'

export const load = defineFamily({
  name: 'load',
  about: 'requests and files that use up the time and the memory of the daemon',
  open: openLoadStage,
  close: ({ daemon }) => daemon.close(),
  attacks: [...bodyAttacks, ...documentAttacks, ...storeAttacks, ...answerAttacks, ...fileAttacks],
})
