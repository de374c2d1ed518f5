import { bind, type Route } from '../../operations/bind.ts'
import { proofSheetOperations } from './contract.ts'
import type { ProofSheets } from './service.ts'

export const proofSheetRoutes = (proofSheets: ProofSheets): Route[] =>
  bind(proofSheetOperations, {
    show: (_, { runId, ...page }) => proofSheets.show(runId, page),
  })
