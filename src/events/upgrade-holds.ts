import type { Upgrade } from './upgrade.ts'

/** The text in `briefs.held_by` became rows of `brief_holds`; a brief that has ended waits for nothing. */
export const upgradeHolds: Upgrade = (rows) => {
  const briefs = new Map(rows.of('briefs').map(({ key, columns }) => [key[0] as string, columns]))
  const unmet = rows.of('dependencies').filter(({ columns }) => columns['met'] === 0)
  for (const [id, columns] of briefs) {
    const text = columns['held_by'] as string | null
    if (text === null || endStatuses.has(columns['status'])) continue
    const holds = new Map([[text, splitText(text)]])
    // The text named one of the dependencies that will not be met.
    if (text.startsWith('dependency_failed:'))
      for (const { columns: edge } of unmet) {
        const afterId = edge['after_id'] as string
        if (edge['brief_id'] !== id || !failedStatuses.has(briefs.get(afterId)?.['status'])) continue
        holds.set(`dependency_failed:${afterId}`, { kind: 'dependency_failed', subject: afterId })
      }
    for (const { kind, subject } of holds.values())
      rows.put('brief_holds', [columns['run_id'], id, kind, subject], {
        run_id: columns['run_id'],
        brief_id: id,
        kind,
        subject,
      })
    rows.put('briefs', [id], { ...columns, hold_count: holds.size })
  }
}

const endStatuses: ReadonlySet<unknown> = new Set(['done', 'failed', 'cancelled'])
const failedStatuses: ReadonlySet<unknown> = new Set(['failed', 'cancelled'])

/** Splits `budget:run`; `merge` has no subject. */
function splitText(text: string): { kind: string; subject: string } {
  const kind = ['dependency_failed', 'budget', 'checks'].find((each) => text.startsWith(`${each}:`))
  return kind === undefined ? { kind: text, subject: '' } : { kind, subject: text.slice(kind.length + 1) }
}
