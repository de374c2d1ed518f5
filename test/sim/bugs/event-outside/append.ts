import { appendEvent as appended } from '../../../../src/events/append.ts'
import { later } from './later.ts'

export * from '../../../../src/events/append.ts'

export const appendEvent: typeof appended = async (tx, stream, event, changes) => {
  if (event.kind !== 'turn_ended') return appended(tx, stream, event, changes)
  tx.afterCommit(() => later((db) => db.write([stream], (next) => appended(next, stream, event, changes))))
  return 0
}
