import { modelCalls } from '../authority/model-calls.ts'
import { organisations } from '../authority/organisations.ts'
import { runs } from '../authority/runs.ts'
import { seats } from '../authority/seats.ts'
import { openAuthorityStage } from '../authority/stage.ts'
import { writes } from '../authority/writes.ts'
import { defineFamily } from '../contract.ts'

export const authority = defineFamily({
  name: 'authority',
  about: 'agents that act beyond their organisation, run or workstream',
  open: openAuthorityStage,
  close: ({ daemon }) => daemon.close(),
  attacks: [...writes, ...organisations, ...runs, ...seats, ...modelCalls],
})
