import { describe, expect, it } from 'vitest'

import { aHeldBrief } from '../../../../test/support/work.ts'
import { toWire } from '../../../operations/wire.ts'
import { HeldBrief } from '../../briefs/contract.ts'
import { findBrief, type Inspection } from './inspection.ts'

const brief = (fields: Partial<HeldBrief>) => toWire(HeldBrief, aHeldBrief(fields))
const inspectionOf = (...briefs: ReturnType<typeof brief>[]): Inspection =>
  ({ run: { id: 'run_a' }, briefs }) as unknown as Inspection

describe('findBrief', () => {
  const shown = inspectionOf(
    brief({ id: 'brf_aaa1', key: 't4:backend:api:queue-client', title: 'Client of the queue' }),
    brief({ id: 'brf_aaa2', key: 't4:backend:api:auth', title: 'Authentication of senders' }),
    brief({ id: 'brf_bbb3', key: 't4:backend:db:auth', title: 'Authentication of senders' }),
    brief({ id: 'brf_ccc4', key: 'verify:t4:queue-client:1', title: 'Verify Client of the queue', kind: 'verify' }),
  )
  const idOf = (wanted: string) => findBrief(shown, wanted).id

  it('finds a brief by id, beginning of the id, key, end of the key, and title', () => {
    for (const wanted of ['brf_aaa1', 'aaa1', 't4:backend:api:queue-client', 'queue-client', 'client of the Queue'])
      expect(idOf(wanted)).toBe('brf_aaa1')
    expect(idOf('db:auth')).toBe('brf_bbb3')
  })

  it('refuses a name that several briefs have, with their keys', () => {
    for (const wanted of ['auth', 'Authentication of senders'])
      expect(() => idOf(wanted)).toThrow(
        expect.objectContaining({
          message: `"${wanted}" fits 2 briefs`,
          hint: 'Name one by its key: t4:backend:api:auth, t4:backend:db:auth',
        }),
      )
  })

  it('counts the keys that it leaves out', () => {
    const many = inspectionOf(
      ...Array.from({ length: 23 }, (_, index) => brief({ id: `brf_${index}`, runId: 'run_a', key: `task-${index}` })),
    )
    expect(() => findBrief(many, 'nonsense')).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(
          /^Its briefs: task-0, .*, task-19 and 3 more \("agency inspect run_a --json" has all\)$/,
        ),
      }),
    )
  })
})
