import { defineFamily } from '../contract.ts'
import { browserAttacks } from '../local/browser-attacks.ts'
import { fileAttacks } from '../local/file-attacks.ts'
import { sessionAttacks } from '../local/session-attacks.ts'
import { openLocalStage } from '../local/stage.ts'
import { tokenAttacks } from '../local/token-attacks.ts'

export const local = defineFamily({
  name: 'local',
  about: 'other users and servers of the machine: links, cookies, sessions, tokens, files',
  open: openLocalStage,
  close: ({ daemon }) => daemon.close(),
  attacks: [...sessionAttacks, ...tokenAttacks, ...fileAttacks, ...browserAttacks],
})
