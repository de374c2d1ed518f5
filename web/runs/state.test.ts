import { describe, expect, it } from 'vitest'

import { RunStatus } from '../../src/work/runs/contract.ts'
import { runState } from './state.ts'

describe('runState', () => {
  it('is good only for a run that is done', () => {
    expect(RunStatus.options.filter((status) => runState(status).tone === 'good')).toEqual(['done'])
  })
})
