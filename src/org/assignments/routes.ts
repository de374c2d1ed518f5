import { bind, type Route } from '../../operations/bind.ts'
import { assignmentOperations } from './contract.ts'
import type { Assignments } from './service.ts'

export const assignmentRoutes = (assignments: Assignments): Route[] =>
  bind(assignmentOperations, {
    assign: (by, { positionId, persona, reassign }) => assignments.assign(by, positionId, persona, reassign),
    unassign: (by, { positionId }) => assignments.unassign(by, positionId),
    list: (_, query) => assignments.list(query),
    vacancies: (_, { org }) => assignments.vacancies(org),
    available: () => assignments.available(),
    assessFit: (_, { positionId, persona }) => assignments.assessFit(positionId, persona),
  })
