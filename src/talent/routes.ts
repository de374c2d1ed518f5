import { bind, type Route } from '../operations/bind.ts'
import { talentOperations } from './contract.ts'
import type { Talent } from './service.ts'

export const talentRoutes = (talent: Talent): Route[] =>
  bind(talentOperations, {
    list: (_, input) => talent.list(input),
    show: (_, input) => talent.show(input.talent),
    map: () => talent.map(),
    import: (_, { directory }) => talent.import(directory),
    prompts: () => talent.prompts(),
  })
