import { bind, type Route } from '../../operations/bind.ts'
import { noteOperations } from './contract.ts'
import type { Notes } from './service.ts'

export const noteRoutes = (notes: Notes): Route[] =>
  bind(noteOperations, {
    add: (by, input) => notes.add(by, input),
    list: (by, input) => notes.list(by, input),
    show: (by, input) => notes.show(by, input),
    resolve: (by, input) => notes.resolve(by, input),
    escalate: (by, input) => notes.escalate(by, input),
  })
