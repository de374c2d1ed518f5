import { describe, expect, it } from 'vitest'

import { camelCase } from '../src/kernel/text.ts'
import { allOperations, operations } from '../src/operations/all.contract.ts'
import { requestOf } from './client.ts'

describe('requestOf', () => {
  it('takes path parameters out of the input and puts the rest of a GET into the query, in snake_case', () => {
    expect(requestOf(operations.event.ofRun, { runId: 'run_a/b', after: 3, limit: 1_000 })).toEqual({
      method: 'GET',
      path: '/api/runs/run_a%2Fb/events?after=3&limit=1000',
      body: null,
    })
  })

  it('leaves out undefined fields', () => {
    expect(requestOf(operations.run.list, { status: undefined, before: undefined })).toEqual({
      method: 'GET',
      path: '/api/runs',
      body: null,
    })
  })

  it('puts the rest of the input of any other method into the body', () => {
    expect(requestOf(operations.run.cancel, { runId: 'run_a', reason: 'late' })).toEqual({
      method: 'POST',
      path: '/api/runs/run_a/cancel',
      body: '{"reason":"late"}',
    })
  })

  it('fills every path parameter of every operation', () => {
    for (const operation of allOperations) {
      const named = [...operation.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => [camelCase(name), 'a'])
      expect(requestOf(operation, Object.fromEntries(named)).path).not.toMatch(/:|undefined/)
    }
  })
})
