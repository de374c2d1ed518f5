import { describe, expect, it } from 'vitest'

import { camelCase } from '../src/kernel/text.ts'
import { allOperations, operations } from '../src/operations/all.contract.ts'
import { requestOf } from './client.ts'

describe('a request', () => {
  it('takes path parameters out of the input and puts the rest of a GET into the query, in snake_case', () => {
    expect(requestOf(operations.event.ofRun, { runId: 'run_a/b', after: 3, limit: 1_000 })).toEqual({
      method: 'GET',
      path: '/api/runs/run_a%2Fb/events?after=3&limit=1000',
      body: null,
    })
  })

  it('leaves out what is not given', () => {
    expect(requestOf(operations.run.list, { status: undefined, before: undefined })).toEqual({
      method: 'GET',
      path: '/api/runs',
      body: null,
    })
  })

  it('of any other method carries the rest as its body', () => {
    expect(requestOf(operations.run.cancel, { runId: 'run_a', reason: 'late' })).toEqual({
      method: 'POST',
      path: '/api/runs/run_a/cancel',
      body: '{"reason":"late"}',
    })
  })

  it('leaves no parameter unfilled, whatever the operation', () => {
    for (const operation of allOperations) {
      const named = [...operation.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => [camelCase(name), 'a'])
      expect(requestOf(operation, Object.fromEntries(named)).path).not.toMatch(/:|undefined/)
    }
  })
})
