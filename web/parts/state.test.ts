import { describe, expect, it } from 'vitest'

import { briefStatuses } from '../../src/work/briefs/states.ts'
import type { Brief } from '../../src/work/briefs/contract.ts'
import { RunStatus } from '../../src/work/runs/contract.ts'
import { briefState, lineTone, runState } from './state.tsx'

const brief = (over: Partial<Brief>): Brief =>
  ({ status: 'pending', heldBy: null, unmetDependencies: 0, attempts: 0, failure: null, ...over }) as Brief

describe('a brief', () => {
  it('says why it waits', () => {
    expect(briefState(brief({})).says).toBe('pending')
    expect(briefState(brief({ unmetDependencies: 2 })).says).toBe('pending: after 2 other briefs')
    expect(briefState(brief({ attempts: 1 })).says).toBe('pending: to be tried again')
    expect(briefState(brief({ heldBy: 'dependency_failed:brf_a' }))).toEqual({
      tone: 'waiting',
      says: 'pending: a brief it needs failed',
    })
  })

  it('says why it failed', () => {
    expect(briefState(brief({ status: 'failed', failure: 'no proof' }))).toEqual({
      tone: 'bad',
      says: 'failed: no proof',
    })
  })

  it('is green only when it is proven', () => {
    const green = briefStatuses.filter((status) => briefState(brief({ status })).tone === 'good')
    expect(green).toEqual(['verified', 'done'])
  })
})

describe('a run', () => {
  it('is green only when it is done', () => {
    expect(RunStatus.options.filter((status) => runState(status).tone === 'good')).toEqual(['done'])
  })
})

describe('a line of the log', () => {
  it('takes its sign from the engine', () => {
    const line = { kind: 'evidence_checked', code: 'EVIDENCE', by: 'engine' } as const
    expect(lineTone({ ...line, message: 'main 3/4 ✗' })).toBe('bad')
    expect(lineTone({ ...line, message: 'main 4/4 ✓' })).toBe('good')
  })

  it('takes no sign from what an agent writes', () => {
    expect(lineTone({ kind: 'log', code: null, by: 'agent:1', message: '✓ all done' })).toBe('idle')
  })
})
