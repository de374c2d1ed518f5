import { expect, it } from 'vitest'

import { queuedIn } from './queued.ts'

it('adds up the data that waits in the connections of a table', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:7652 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 646260 1 00000000d8dc539c
   1: 0100007F:A74B 0100007F:7652 01 00000010:00000100 01:00000014 00000000     0        0 58525 1 00000000d3757fb8
`
  expect(queuedIn(table)).toBe(0x110)
  expect(queuedIn('')).toBe(0)
})
