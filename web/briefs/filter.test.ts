import { describe, expect, it } from 'vitest'

import { aHeldBrief } from '../../test/support/work.ts'
import { matchingBriefs } from './filter.ts'

describe('matchingBriefs', () => {
  const briefs = [
    aHeldBrief({ key: 'queue-client', title: 'Client of the queue', status: 'working', attempts: 2, retriesUsed: 1 }),
    aHeldBrief({ key: 'queue-config', title: 'Settings of the queue', status: 'verified' }),
    aHeldBrief({ key: 'alerts', title: 'Alert rules', status: 'failed' }),
  ]
  const keys = (text: string, onlyFailing = false) =>
    matchingBriefs(briefs, { text, onlyFailing }).map(({ key }) => key)

  it('finds briefs by words of their title and key, in any case and order', () => {
    expect(keys('QUEUE')).toEqual(['queue-client', 'queue-config'])
    expect(keys('queue settings')).toEqual(['queue-config'])
    expect(keys('nothing')).toEqual([])
  })

  it('finds failed briefs and those that work again after a failure', () => {
    expect(keys('', true)).toEqual(['queue-client', 'alerts'])
    expect(keys('queue', true)).toEqual(['queue-client'])
  })
})
