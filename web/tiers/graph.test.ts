import { describe, expect, it } from 'vitest'

import { tieredRows } from '../../test/support/tiered-rows.ts'
import { maxBoxes } from '../graph/model.ts'
import { tieredModel } from './graph.ts'

const modelOf = (shape: Parameters<typeof tieredRows>[0], opened: string[] = []) => {
  const { briefs } = tieredRows(shape)
  return tieredModel({ briefs, dependencies: [] }, new Set(opened))
}

describe('the graph of a tiered run', () => {
  it('puts each brief into the lane of its tier and connects it with the step before', () => {
    const { boxes, edges, lanes } = modelOf({ workstreams: 2, tasks: 3 })
    expect(lanes).toEqual(['T1', 'T2', 'T3', 'T4', 'T5'])
    expect(new Set(boxes.map(({ lane }) => lane))).toEqual(new Set(lanes))
    const reached = new Set(edges.map(({ briefId }) => briefId))
    // Only the first step has nothing before it.
    expect(boxes.filter(({ id }) => !reached.has(id)).map(({ id }) => id)).toEqual(['brf_t1-plan'])
  })

  it('draws the verifiers of a squad as one box, which opens', () => {
    const verifiers = (opened: string[] = []) =>
      modelOf({ workstreams: 1, tasks: 3 }, opened).boxes.filter(({ lane }) => lane === 'T5')
    expect(verifiers().map(({ title }) => title)).toEqual(['Verify stream-1/squad-1'])
    expect(verifiers(['t5:stream-1/squad-1']).every(({ to }) => to !== null)).toBe(true)
  })

  it('stays readable with hundreds of tasks and with thousands', () => {
    const squads = modelOf({ workstreams: 40, tasks: 20 })
    expect(squads.boxes.length).toBeLessThanOrEqual(maxBoxes)
    expect(squads.boxes.map(({ title }) => title)).toContain('Tasks of stream-1/squad-1')
    const steps = modelOf({ workstreams: 500, tasks: 4 })
    expect(steps.boxes.length).toBeLessThan(20)
    expect(steps.boxes.map(({ title }) => title)).toContain('Do the tasks')
  })
})
