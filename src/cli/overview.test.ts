import { describe, expect, it } from 'vitest'

import { type Overview, overviewLines } from './overview.ts'
import type { Terminal } from './terminal.ts'

const screen: Terminal = { out: () => {}, err: () => {}, isTty: true, columns: 80, colour: false }
const nowMs = Date.parse('2026-03-04T12:00:00.000Z')

const daemon: Overview['daemon'] = {
  pid: 1,
  version: '1.0.0',
  home: '/home/kim/.agency',
  command: 'agency',
  store: { kind: 'sqlite', place: 'store.db' },
  address: 'http://127.0.0.1:7717',
  dashboard: 'http://agency-x.localhost:7717',
  lost_port: null,
  socket: 'daemon.sock',
  started_at: '2026-03-04T11:00:00.000Z',
  box: 'bubblewrap 0.8.0',
  undo_seconds: 10,
  running: { runs: 0, agents: 0, slots: 4, checks: 0 },
  waiting_for_you: 0,
  waiting: [],
  unpriced_calls: 0,
  dead_jobs: 0,
  stops: [],
  provider_holds: [],
}
const noCosts = {
  models: [],
  calls: 0,
  unpriced_calls: 0,
  tokens: 0,
  cost_micros: 0,
  simulated_calls: 0,
  simulated_tokens: 0,
}
const idle: Overview = { daemon, decisions: [], goal_of_oldest: null, newest_run: null, costs_today: noCosts }
const linesOf = (more: Partial<Overview>): string[] => overviewLines(screen, { ...idle, ...more }, nowMs)

describe('the overview', () => {
  it('of a new installation proposes a demonstration or a first run', () => {
    expect(linesOf({})).toEqual([
      '✓ nothing waits for you',
      '· no run is under way',
      '· no model call today',
      '✓ daemon up for 1 h, box bubblewrap 0.8.0, http://agency-x.localhost:7717',
      '→ agency demo · agency run "<goal>" · all commands: agency --help',
    ])
  })

  it('begins with the decisions that wait and ends with the command for the oldest', () => {
    const gate = {
      text: 'gate plan',
      run_id: 'run_1',
      since: '2026-03-04T11:48:00.000Z',
      command: 'agency approve gat_1',
    }
    const lines = linesOf({
      daemon: { ...daemon, waiting_for_you: 2 },
      decisions: [gate, gate],
      goal_of_oldest: 'Write a poem',
    })
    expect(lines[0]).toBe('⏸ 2 things wait for you: gate plan of “Write a poem”, 12 m ago')
    expect(lines.at(-1)).toMatch(/^→ agency approve gat_1 /)
  })

  it('keeps simulated tokens out of the money of today', () => {
    const costs_today = {
      ...noCosts,
      calls: 2,
      tokens: 1_200,
      cost_micros: 420_000,
      simulated_tokens: 9_000,
      simulated_calls: 1,
    }
    expect(linesOf({ costs_today })[2]).toBe('· $0.42 today, 1,200 tokens; 9,000 tokens simulated, not included')
    expect(linesOf({ costs_today: { ...noCosts, simulated_calls: 1, simulated_tokens: 5 } })[2]).toBe(
      '· no model call today; 5 tokens simulated',
    )
  })

  it('names the stop of everything, and the command that ends it', () => {
    const stop = { scope: 'installation', organisation: null, reason: '', at: daemon.started_at }
    const lines = linesOf({ daemon: { ...daemon, stops: [stop as unknown as (typeof daemon.stops)[number]] } })
    expect(lines[3]).toMatch(/^✗ everything is stopped/)
    expect(lines[4]).toMatch(/^→ agency resume /)
  })

  it('warns that agents are not boxed', () => {
    expect(linesOf({ daemon: { ...daemon, box: 'none: switched off' } })[3]).toMatch(/^⏸ .*agents are not boxed/)
  })
})
