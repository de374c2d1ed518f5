import { describe, expect, it } from 'vitest'

import { startNotes } from '../../test/support/notes.ts'
import { allOperations } from '../operations/all.contract.ts'
import { createOpenApi } from './openapi.ts'

interface Described {
  operationId: string
  parameters?: { name?: string; in?: string; required?: boolean; schema?: unknown; $ref?: string }[]
  requestBody?: {
    content: { 'application/json': { schema: { properties: Record<string, unknown>; required?: string[] } } }
  }
  responses: Record<string, { content?: Record<string, { schema: unknown }>; $ref?: string }>
  security: Record<string, string[]>[]
}

describe('the OpenAPI document', () => {
  const document = createOpenApi(allOperations, '1.2.3') as {
    openapi: string
    info: { title: string; version: string }
    paths: Record<string, Record<string, Described>>
    components: Record<string, Record<string, unknown>>
  }
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const byId = (name: string): Described =>
    described.find(({ operation }) => operation.operationId === name)?.operation as Described

  it('has every operation once, at its path', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Agency', version: '1.2.3' } })
    expect(described.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`).sort()).toEqual(
      allOperations
        .map(({ name, method, path }) => `${method.toLowerCase()} /api${path.replace(/:(\w+)/g, '{$1}')} ${name}`)
        .sort(),
    )
  })

  it('declares every parameter of a path, and responses for success and failure', () => {
    for (const { path, operation } of described) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(declared.map((parameter) => parameter.name)).toEqual(inPath)
      const type = expect.stringMatching(/^(string|integer)$/) as string
      for (const parameter of declared) expect(parameter).toMatchObject({ required: true, schema: { type } })
      const { content } = operation.responses['200'] ?? {}
      expect((content?.['application/json'] ?? content?.['application/octet-stream'])?.schema).toBeTypeOf('object')
      expect(operation.responses['default']).toEqual({ $ref: '#/components/responses/Problem' })
      for (const scheme of operation.security.flatMap(Object.keys))
        expect(document.components['securitySchemes']).toHaveProperty(scheme)
    }
  })

  it('uses the names of the wire', () => {
    const names = new Set<string>()
    JSON.stringify(document.paths, (key, value: unknown) => {
      if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name)
      if (key === 'required' && Array.isArray(value)) for (const name of value as string[]) names.add(name)
      return value
    })
    expect(names.size).toBeGreaterThan(30)
    expect([...names].filter((name) => /[A-Z]/.test(name))).toEqual([])
    expect(byId('run.create').requestBody?.content['application/json'].schema).toMatchObject({
      properties: { goal: { type: 'string' }, runtime_options: { type: 'object' } },
      required: ['goal'],
    })
    expect(byId('brief.update').requestBody?.content['application/json'].schema.properties).not.toHaveProperty(
      'brief_id',
    )
  })

  it('resolves every reference, and marks operations that stream or may be repeated', () => {
    const references = JSON.stringify(document).match(/#\/[\w/]+/g) ?? []
    for (const reference of new Set(references)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document)
      expect(found, reference).toBeTypeOf('object')
    }
    expect(byId('run.events').responses['200']?.content).toHaveProperty('text/event-stream')
    expect(byId('run.create').parameters).toEqual([{ $ref: '#/components/parameters/IdempotencyKey' }])
    expect(byId('event.log').security).toEqual([{ agent: [] }])
  })

  it('is the same text for any order of the operations', () => {
    expect(JSON.stringify(createOpenApi([...allOperations].reverse(), '1.2.3'))).toBe(JSON.stringify(document))
  })

  it('is served without a token', async () => {
    const { send } = await startNotes()
    const answer = await send('GET', '/api/openapi.json', { token: null })
    expect(answer.json).toMatchObject({
      openapi: '3.1.0',
      paths: { '/api/notes/{note_id}': { get: { operationId: 'note.show' } } },
    })
  })
})
