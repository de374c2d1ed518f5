import { describe, expect, it } from 'vitest'

import { placeOf, viewOf } from './views.ts'

const view = (address: string, open: Parameters<typeof viewOf>[1] = null) => {
  const url = new URL(address, 'http://here')
  const briefId = url.pathname.split('/briefs/')[1] ?? null
  return viewOf({ briefId, query: url.searchParams, hash: url.hash.slice(1) }, open)
}

describe('viewOf', () => {
  it('opens a run on its overview, a brief on its detail and a line on the log', () => {
    expect(view('/runs/run_a')).toBe('overview')
    expect(view('/runs/run_a', 'evidence')).toBe('overview')
    expect(view('/runs/run_a/briefs/brf_a')).toBe('tree')
    expect(view('/runs/run_a/briefs/brf_a#att_a')).toBe('tree')
    expect(view('/runs/run_a#12')).toBe('log')
  })

  it('keeps the open view for a link to a brief, unless no brief is shown beside it', () => {
    expect(view('/runs/run_a/briefs/brf_a', 'evidence')).toBe('evidence')
    expect(view('/runs/run_a/briefs/brf_a', 'overview')).toBe('tree')
    expect(view('/runs/run_a/briefs/brf_a', 'changes')).toBe('tree')
  })

  it('prefers the view that the address names, if it knows it', () => {
    expect(view('/runs/run_a/briefs/brf_a?view=output', 'evidence')).toBe('output')
    expect(view('/runs/run_a?view=nonsense')).toBe('overview')
  })
})

describe('placeOf', () => {
  it('names the view and the brief, but no brief where none is shown', () => {
    expect(placeOf('run_a', 'brf_a', 'evidence')).toBe('/runs/run_a/briefs/brf_a?view=evidence')
    expect(placeOf('run_a', 'brf_a', 'changes')).toBe('/runs/run_a?view=changes')
    expect(placeOf('run_a', 'brf_a', 'overview')).toBe('/runs/run_a')
    expect(placeOf('run_a', null, 'graph')).toBe('/runs/run_a?view=graph')
  })
})
