import { bind, type Route } from '../../operations/bind.ts'
import { templateOperations } from './contract.ts'
import type { Templates } from './service.ts'

export const templateRoutes = (templates: Templates): Route[] =>
  bind(templateOperations, {
    list: () => templates.list(),
  })
