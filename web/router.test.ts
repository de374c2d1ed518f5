import { describe, expect, it } from 'vitest'

import { addresses, routeOf } from './router.tsx'

describe('an address', () => {
  it('names each place', () => {
    expect(routeOf('/')).toEqual({ page: 'inbox' })
    expect(routeOf('/runs')).toEqual({ page: 'runs' })
    expect(routeOf('/runs/')).toEqual({ page: 'runs' })
    expect(routeOf('/events')).toEqual({ page: 'events' })
    expect(routeOf('/settings')).toEqual({ page: 'settings' })
  })

  it('of a run or a brief leads back to it', () => {
    expect(routeOf(addresses.run('run_7k2'))).toEqual({ page: 'run', runId: 'run_7k2', briefId: null })
    expect(routeOf(addresses.brief('run_7k2', 'brf_a/b'))).toEqual({
      page: 'run',
      runId: 'run_7k2',
      briefId: 'brf_a/b',
    })
  })

  it('that leads nowhere says so, whatever it holds', () => {
    for (const path of ['/nowhere', '/runs/a/b', '/runs/a/briefs', '/events/1', '/runs/a/briefs/b/c', '/%zz'])
      expect(routeOf(path)).toEqual({ page: 'missing', path })
  })
})
