import { describe, expect, it } from 'vitest'

import { addresses, orgSections, routeOf } from './router.tsx'

describe('routeOf', () => {
  it('knows the address of every single page', () => {
    expect(routeOf('/')).toEqual({ page: 'inbox' })
    expect(routeOf('/runs')).toEqual({ page: 'runs' })
    expect(routeOf('/runs/')).toEqual({ page: 'runs' })
    expect(routeOf('/events')).toEqual({ page: 'events' })
    expect(routeOf('/settings')).toEqual({ page: 'settings' })
  })

  it('maps the address of a run or brief back to it', () => {
    expect(routeOf(addresses.run('run_7k2'))).toEqual({ page: 'run', runId: 'run_7k2', briefId: null })
    expect(routeOf(addresses.brief('run_7k2', 'brf_a/b'))).toEqual({
      page: 'run',
      runId: 'run_7k2',
      briefId: 'brf_a/b',
    })
  })

  it('maps the address of a proof sheet back to it', () => {
    expect(routeOf(addresses.proof('run_7k2'))).toEqual({ page: 'proof', runId: 'run_7k2' })
    expect(routeOf('/runs/run_7k2/proof/more')).toEqual({ page: 'missing', path: '/runs/run_7k2/proof/more' })
  })

  it('maps the address of a prompt back to its attempt', () => {
    expect(routeOf(addresses.prompt('run_1', 'att_1'))).toEqual({ page: 'prompt', runId: 'run_1', attemptId: 'att_1' })
  })

  it('maps the address of a produced file back to it', () => {
    expect(routeOf(addresses.artifact('art_1'))).toEqual({ page: 'artifact', artifactId: 'art_1' })
  })

  it('maps the address of a workspace, and of a file in it, back to it', () => {
    expect(routeOf('/workspaces')).toEqual({ page: 'workspaces' })
    expect(routeOf('/pull-requests')).toEqual({ page: 'pull-requests' })
    const url = new URL(addresses.file('mis_1', 'a b/ü?#&.txt'), 'http://here')
    expect(routeOf(url.pathname)).toEqual({ page: 'workspace', missionId: 'mis_1' })
    expect(url.searchParams.get('path')).toBe('a b/ü?#&.txt')
    expect(url.hash).toBe('')
  })

  it('maps the addresses of changes and output to the page of the run', () => {
    for (const [address, view] of [
      [addresses.changes('run_1'), 'changes'],
      [addresses.output('run_1', 'brf_1', 'att_1'), 'output'],
    ] as const) {
      const url = new URL(address, 'http://here')
      expect(routeOf(url.pathname)).toMatchObject({ page: 'run', runId: 'run_1' })
      expect(url.searchParams.get('view')).toBe(view)
    }
  })

  it('maps the address of an organisation, seat or persona back to it', () => {
    expect(routeOf('/org')).toEqual({ page: 'organisations' })
    expect(routeOf('/personas')).toEqual({ page: 'personas' })
    for (const section of orgSections)
      expect(routeOf(addresses.org('a b/ü', section))).toEqual({ page: 'org', org: 'a b/ü', section })
    expect(routeOf(addresses.seat('dev-1', 12))).toEqual({ page: 'seat', org: 'dev-1', positionId: 12 })
    expect(routeOf(addresses.persona('architect-robbo-3'))).toEqual({ page: 'persona', persona: 'architect-robbo-3' })
  })

  it('maps every other path to the page for missing addresses', () => {
    for (const path of [
      '/org/a/chart',
      '/org/a/positions',
      '/org/a/positions/0',
      '/org/a/positions/x',
      '/personas/a/b',
    ])
      expect(routeOf(path)).toEqual({ page: 'missing', path })
    for (const path of ['/nowhere', '/runs/a/b', '/runs/a/briefs', '/events/1', '/runs/a/briefs/b/c', '/%zz'])
      expect(routeOf(path)).toEqual({ page: 'missing', path })
  })
})
