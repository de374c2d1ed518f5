import { describe, expect, it } from 'vitest'

import { TierPlan } from '../../src/playbooks/tiered/contract.ts'
import type { Part } from '../../src/work/parts/contract.ts'
import { tieredRows } from '../../test/support/tiered-rows.ts'
import { aHeldBrief } from '../../test/support/work.ts'
import { estimateOf } from '../decisions/labels.ts'
import type { Inspection } from '../queries.ts'
import { depthText } from '../runs/table.tsx'
import { newestDocument } from './documents.ts'
import { matrixOf } from './matrix.ts'
import { ancestorsOf, tierNodes } from './nodes.ts'
import { overlapsOf } from './overlaps.ts'
import { stateOfAll, workersText } from '../briefs/progress.ts'
import { meshName } from './tasks-view.tsx'
import { nodesOfGate, streamState, teamOf } from './team.ts'

const shown = (rows: ReturnType<typeof tieredRows>): Inspection => rows as unknown as Inspection

describe('tierNodes', () => {
  const rows = tieredRows({ workstreams: 3, tasks: 7 })
  const team = teamOf(shown(rows))
  const lines = (...open: string[]): string[] =>
    tierNodes(shown(rows), team, (key, startsOpen) => startsOpen || open.includes(key)).map(
      ({ level, title, state }) => `${'  '.repeat(level - 1)}${title} ${state.tone} ${state.text}`,
    )

  it('shows run, tiers, workstreams, squads and the progress of the workers, with finished parts closed', () => {
    expect(lines('T1')).toEqual([
      'Build a webhook ingestion system waiting waits for you · T4 · T4: 6/14 done, 1 retrying, 5 working, 2 pending',
      '  T1 plan, critique, accept good planned · acceptance to come',
      '    Plan good done',
      '    Criticise good done',
      '    Accept the result idle pending',
      '  T2 lead, specialists, synthesis good done',
      '  stream-1  T2 → T3 → T4 → T5 waiting [GATE: pending review] active · 6/7 done, 1 retrying',
      '    T3 squad squad-1 waiting [GATE: pending review] active',
      '      Plan tasks good done',
      '      T4 workers working 6/7 done, 1 retrying',
      '      Judge good done',
      '  stream-2  T2 → T3 → T4 → T5 waiting [GATE: pending review] active · 0/7 done, 5 working, 2 pending',
      '    T3 squad squad-1 waiting [GATE: pending review] active',
      '      Plan tasks good done',
      '      T4 workers working 0/7 done, 5 working, 2 pending',
      '  stream-3  T2 → T3 → T4 → T5 idle pending',
    ])
  })

  it('opens the workers, and below each its verifiers', () => {
    const opened = lines('t4:stream-1/squad-1', 'brf_t4:stream-1:squad-1:task-1')
    const at = opened.findIndex((line) => line.includes('idle pending: waits for another attempt · retry 1/3'))
    expect(opened[at]).toMatch(/^ {8}Build task-1 of stream-1 /)
    expect(opened[at + 1]).toMatch(/^ {10}\S.* good verified$/)
  })

  it('returns the nodes that must be open for a brief to be visible', () => {
    const way = (key: string) => ancestorsOf(rows.briefs.find((each) => each.key === key) ?? aHeldBrief(), rows.briefs)
    expect(way('t1-plan')).toEqual(['run', 'T1'])
    expect(way('t3-plan:stream-2:squad-1')).toEqual(['run', 'ws:stream-2', 'sq:stream-2/squad-1'])
    expect(way('t5:t4:stream-1:squad-1:task-1')).toEqual([
      'run',
      'ws:stream-1',
      'sq:stream-1/squad-1',
      't4:stream-1/squad-1',
      'brf_t4:stream-1:squad-1:task-1',
    ])
  })

  it('marks the node that a pending gate holds', () => {
    const places = (gate: string, boundary = 'run') => nodesOfGate({ gate, boundary }, team)
    expect(places('t1_plan')).toEqual(['T1'])
    expect(places('t2_synthesis', 'part:wave:1')).toEqual(['T2'])
    expect(places('t3_plan', 'part:mesh:1:t2:backend')).toEqual(['stream-1/squad-1', 'stream-2/squad-1'])
    expect(places('t5_verdict', 'part:sq:stream-1/squad-1')).toEqual(['stream-1/squad-1'])
    expect(places('manual')).toEqual(['run'])
  })

  it('starts closed if there are many workstreams', () => {
    const many = tieredRows({ workstreams: 500, tasks: 4 })
    const nodes = tierNodes(shown(many), teamOf(shown(many)), (_, startsOpen) => startsOpen)
    expect(nodes).toHaveLength(1 + 1 + 1 + 500)
  })
})

describe('progress of work', () => {
  const task = (fields: Parameters<typeof aHeldBrief>[0]) =>
    aHeldBrief({ kind: 'work', data: { tier: 't4' }, ...fields })

  it('is counted without dropped tasks', () => {
    const tasks = [
      task({ status: 'verified' }),
      task({ status: 'working', attempts: 2, retriesUsed: 1 }),
      task({ status: 'draft' }),
      task({ status: 'ready_for_verification' }),
      task({ status: 'failed' }),
      task({ status: 'cancelled' }),
    ]
    expect(workersText(tasks)).toBe('1/5 done, 1 retrying, 1 being verified, 1 pending, 1 failed')
    expect(stateOfAll(tasks)).toEqual({ tone: 'bad', text: 'failed' })
    expect(stateOfAll([])).toEqual({ tone: 'idle', text: 'pending' })
  })

  it('is done for a workstream after it was merged with the others', () => {
    const squads = [
      {
        ref: 'a/main',
        workstream: 'a',
        id: 'main',
        name: 'main',
        mesh: null,
        steps: [],
        tasks: [task({ status: 'verified' })],
      },
    ]
    const part = (status: Part['status'], heldBy: string | null = null) => ({ status, heldBy })
    expect(streamState({ squads, part: part('open', 'merge') }).text).toBe('being merged')
    expect(streamState({ squads, part: part('done') }).text).toBe('done')
    expect(streamState({ squads, part: part('cancelled') }).text).toBe('cancelled')
  })
})

describe('tasks and verdicts', () => {
  const rows = tieredRows({ workstreams: 3, tasks: 3 })
  const team = teamOf(shown(rows))
  const squads = team.streams.flatMap((stream) => stream.squads)

  it('mark claims of two squads of a domain, until one of them drops its task', () => {
    const found = overlapsOf(squads)
    expect([...found.keys()]).toEqual(['brf_t4:stream-1:squad-1:task-2', 'brf_t4:stream-2:squad-1:task-2'])
    expect(found.get('brf_t4:stream-1:squad-1:task-2')).toMatchObject([
      { claim: 'src/shared.ts', ref: 'stream-2/squad-1' },
    ])
    const released = squads.map((squad) => ({
      ...squad,
      tasks:
        squad.workstream === 'stream-2'
          ? squad.tasks.map((each) => ({ ...each, status: 'cancelled' as const }))
          : squad.tasks,
    }))
    expect(overlapsOf(released).size).toBe(0)
  })

  it('name a domain with its wave and round', () => {
    expect(meshName('mesh:1:t2:backend')).toBe('backend, wave 1')
    expect(meshName('mesh:2:t3:docs:r3')).toBe('docs, wave 2, round 3')
  })

  it('list every slice with its attempts and the joint verdict of its squad', () => {
    const { rows: lines, attempts, faults, verified } = matrixOf(shown(rows), team)
    expect(lines.map((row) => (row.kind === 'squad' ? row.squad.ref : row.verdicts.get(1)?.verdict))).toEqual([
      'stream-1/squad-1',
      'fail',
      'pass',
      'pass',
      'stream-2/squad-1',
      undefined,
      undefined,
      undefined,
    ])
    expect(lines[0]).toMatchObject({ joint: { content: { joint_verdict: 'partial', failed_scopes: ['task-1'] } } })
    expect({ attempts, verified }).toEqual({ attempts: [1], verified: 3 })
    expect(faults.map(({ task }) => task.key)).toEqual(['t4:stream-1:squad-1:task-1'])
  })
})

it('returns no content for a document that does not match its schema, and parses each version once', () => {
  const { artifacts } = tieredRows({ workstreams: 2, tasks: 1 })
  const first = newestDocument({ artifacts }, 't1_plan', TierPlan)
  expect(first?.content?.workstreams).toHaveLength(2)
  expect(newestDocument({ artifacts }, 't1_plan', TierPlan)).toBe(first)
  const broken = artifacts.map((each) => ({ ...each, content: '{"half":' }))
  expect(newestDocument({ artifacts: broken }, 't1_plan', TierPlan)).toMatchObject({ content: null })
})

it('separates the estimate from the next step', () => {
  expect(estimateOf('Approve and it starts.\nEstimate: no history yet.')).toEqual({
    follows: 'Approve and it starts.',
    estimate: 'no history yet.',
  })
  expect(estimateOf('Approve.')).toEqual({ follows: 'Approve.', estimate: null })
})

it('formats the tiers of a run', () => {
  expect(depthText(['t1', 't2', 't3', 't4', 't5'])).toBe('T1–T5')
  expect(depthText(['t1', 't4', 't5'])).toBe('T1 T4 T5')
  expect(depthText(['t1'])).toBe('T1')
})
