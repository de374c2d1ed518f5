import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { AgencyError } from '../../kernel/errors.ts'
import { tierNames } from '../../team/contract.ts'
import { amendedPath } from './paths.ts'

describe('the path after an amendment', () => {
  const change = { addTiers: [], removeTiers: [] }

  it('follows the order of the tiers, independent of the input order', () => {
    expect(amendedPath(['t4', 't5'], { ...change, addTiers: ['t3', 't2'] })).toEqual(['t2', 't3', 't4', 't5'])
    expect(amendedPath(['t2', 't3', 't4', 't5'], { ...change, removeTiers: ['t2'] })).toEqual(['t3', 't4', 't5'])
    expect(amendedPath(['t3', 't4', 't5'], { addTiers: ['t2'], removeTiers: ['t3'] })).toEqual(['t2', 't4', 't5'])
  })

  it.each([
    [{ addTiers: ['t1'] }, 't1 stands above every path'],
    [{ addTiers: ['t3'] }, 't3 is on the path already'],
    [{ removeTiers: ['t2'] }, 't2 is not on the path'],
    [{ removeTiers: ['t4'] }, 't4 is mandatory'],
    [{ removeTiers: ['t5'] }, 't5 is mandatory'],
    [{ addTiers: ['t2'], insertBefore: 't2' }, 't2 does not come before t2'],
    [{ addTiers: ['t2'], removeTiers: ['t2'] }, 't2 is added and removed'],
    [{}, 'nothing would change: add tiers, or remove some'],
  ] as const)('is refused for %j', (wrong, message) => {
    expect(() => amendedPath(['t3', 't4', 't5'], { ...change, ...(wrong as object) })).toThrow(message)
  })

  it('always ends with work and its verification', () => {
    const some = fc.subarray([...tierNames])
    fc.assert(
      fc.property(fc.subarray(['t2', 't3']), some, some, (head, addTiers, removeTiers) => {
        const change = { addTiers, removeTiers }
        if (removeTiers.includes('t4') || removeTiers.includes('t5')) {
          expect(() => amendedPath([...head, 't4', 't5'], change)).toThrow(AgencyError)
          return
        }
        try {
          const path = amendedPath([...head, 't4', 't5'], change)
          expect(path.slice(-2)).toEqual(['t4', 't5'])
          expect(path).toEqual(path.toSorted())
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_input' })
        }
      }),
    )
  })
})
