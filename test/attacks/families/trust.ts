import { defineFamily } from '../contract.ts'
import { fileAttacks } from '../trust/files.ts'
import { programAttacks, teamAttacks } from '../trust/programs.ts'
import { openTrustStage, type TrustStage } from '../trust/stage.ts'

export const trust = defineFamily<TrustStage>({
  name: 'trust',
  about: 'plans and team files of strangers',
  open: () => openTrustStage(),
  close: (stage) => stage.close(),
  jobs: 2,
  attacks: [...fileAttacks, ...programAttacks, ...teamAttacks],
})
