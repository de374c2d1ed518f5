import { column, text } from '../db/columns.ts'
import type { ReadTx } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { type Finding, warn } from './finding.ts'

/** Warns of every organisation in which an agent may decide about its own proposals. */
export async function examineGovernance(tx: ReadTx): Promise<Finding[]> {
  const slugs = await column('slug', text).all(
    sqlOf(tx),
    `SELECT o.slug AS slug FROM organisations o JOIN organisation_settings s ON s.organisation_id = o.id
WHERE o.status <> 'archived' AND s.key = 'governance' AND s.value = 'advise' ORDER BY o.id`,
  )
  return slugs.map((slug) =>
    warn(
      'governance',
      `${slug} is only advised: an agent on its AR Director's seat applies its own proposals without you`,
      `Run "agency org set --org ${slug} governance enforce".`,
    ),
  )
}
