import type { Db } from '../../db/port.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { requireRun } from '../runs/find.ts'
import type { ProofSheet } from './contract.ts'
import { readSheet } from './sheet.ts'

export interface ProofSheetDeps {
  db: Db
  playbooks: ReadonlyMap<string, Playbook>
}

export type ProofSheets = ReturnType<typeof createProofSheets>

export const createProofSheets = ({ db, playbooks }: ProofSheetDeps) => ({
  show: (prefix: string, page: { offset: number; limit: number }): Promise<ProofSheet> =>
    db.read(async (tx) => readSheet(tx, playbooks, await requireRun(tx, prefix), page)),
})
