import type { Db } from '../../db/port.ts'
import type { OrgAccess } from '../changes.ts'
import { chartSeat, loadStructure } from '../structure.ts'
import { renderMermaid, renderTree } from './render.ts'

export type Charts = ReturnType<typeof createCharts>

export function createCharts({ db, access }: { db: Db; access: OrgAccess }) {
  const chart = (org: string) =>
    db.read(async (tx) => {
      const organisation = await access.resolveOrganisation(tx, org)
      const structure = await loadStructure(tx, organisation)
      return { row: organisation, seats: structure.positions.map((position) => chartSeat(structure, position)) }
    })
  return {
    async chart(org: string) {
      const { row, seats } = await chart(org)
      const { id: organisationId, ...organisation } = row
      return { organisation: { organisationId, ...organisation }, seats }
    },
    async tree(org: string, mermaid: boolean): Promise<{ text: string }> {
      const { row, seats } = await chart(org)
      return { text: mermaid ? renderMermaid(seats) : renderTree(row, seats) }
    },
  }
}
