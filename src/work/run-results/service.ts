import type { SheetPage } from '../proof-sheets/sheet.ts'
import type { RunResult } from './contract.ts'
import { readResult, type RunResultDeps } from './read.ts'

export type RunResults = ReturnType<typeof createRunResults>

export const createRunResults = (deps: RunResultDeps) => ({
  show: (prefix: string, page: SheetPage): Promise<RunResult> => readResult(deps, prefix, page),
})
