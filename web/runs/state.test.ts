import { describe, expect, it } from 'vitest'

import { RunStatus } from '../../src/work/runs/contract.ts'
import { runState } from './state.ts'

describe('a run', () => {
  it('is green only when it is done', () => {
    expect(RunStatus.options.filter((status) => runState(status).tone === 'good')).toEqual(['done'])
  })
})
