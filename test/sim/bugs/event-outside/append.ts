import { addEvent as added } from '../../../../src/events/append.ts'
import { later } from './later.ts'

export * from '../../../../src/events/append.ts'

export const addEvent: typeof added = (tx, stream, event, changes) => {
  if (event.kind !== 'turn_ended') return added(tx, stream, event, changes)
  tx.afterCommit(() => later((db) => db.write([stream], async (next) => added(next, stream, event, changes))))
  return 0
}
