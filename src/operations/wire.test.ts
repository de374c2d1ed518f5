import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { arbitraryOf } from '../../test/support/arbitrary.ts'
import { allOperations } from './all.contract.ts'
import { fromWire, toWire, wirePath } from './wire.ts'
import { wireSchema } from './wire-schema.ts'

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the wire', () => {
  for (const operation of allOperations) {
    it(`converts every output of ${operation.name} to the wire and back`, () => {
      fc.assert(
        fc.property(arbitraryOf(wireSchema(operation.output, 'output')), (wire) => {
          const value = fromWire(operation.output, wire)
          expect(toWire(operation.output, value)).toEqual(wire)
          expect(fromWire(operation.output, json(toWire(operation.output, value)))).toEqual(value)
        }),
        { numRuns: 40 },
      )
    })

    it(`converts every input of ${operation.name} to the names of its schema`, () => {
      fc.assert(
        fc.property(arbitraryOf(wireSchema(operation.input, 'input')), (wire) => {
          const value = fromWire(operation.input, wire)
          const unknown = operation.input
            .safeParse(value)
            .error?.issues.filter((issue) => issue.code === 'unrecognized_keys')
          expect(unknown ?? []).toEqual([])
        }),
        { numRuns: 40 },
      )
    })
  }

  it('keeps the order of the contract', () => {
    const schema = z.object({ first: z.number(), secondThing: z.string(), third: z.null() })
    expect(JSON.stringify(toWire(schema, { third: null, secondThing: 'b', first: 1 }))).toBe(
      '{"first":1,"second_thing":"b","third":null}',
    )
  })

  const Nested = z.strictObject({
    runId: z.string(),
    promptSha256: z.string().nullable().optional(),
    runtimeOptions: z.record(z.string(), z.unknown()).default({}),
    byKey: z.record(z.string(), z.strictObject({ startedAt: z.string() })).optional(),
    pair: z.tuple([z.strictObject({ leftSide: z.number() }), z.number()]).optional(),
    either: z
      .union([z.strictObject({ firstName: z.string() }), z.array(z.strictObject({ lastName: z.string() }))])
      .optional(),
    shape: z
      .discriminatedUnion('kindOf', [
        z.strictObject({ kindOf: z.literal('free'), data: z.record(z.string(), z.unknown()) }),
        z.strictObject({ kindOf: z.literal('fixed'), data: z.strictObject({ someName: z.number() }) }),
      ])
      .optional(),
  })

  it('converts names inside arrays, tuples, unions, records and wrappers', () => {
    const value = {
      runId: 'run_1',
      promptSha256: null,
      runtimeOptions: { keepThis: 1, and_this: { soDoI: 2 } },
      byKey: { someKey: { startedAt: 'now' } },
      pair: [{ leftSide: 1 }, 2],
      either: [{ lastName: 'x' }],
      shape: { kindOf: 'fixed', data: { someName: 1 } },
    }
    const wire = {
      run_id: 'run_1',
      prompt_sha256: null,
      runtime_options: { keepThis: 1, and_this: { soDoI: 2 } },
      by_key: { someKey: { started_at: 'now' } },
      pair: [{ left_side: 1 }, 2],
      either: [{ last_name: 'x' }],
      shape: { kind_of: 'fixed', data: { some_name: 1 } },
    }
    expect(toWire(Nested, value)).toEqual(wire)
    expect(fromWire(Nested, wire)).toEqual(value)
  })

  it('leaves free-form data unchanged where another option of the union declares names', () => {
    const value = { runId: 'r', shape: { kindOf: 'free', data: { some_name: 1, someName: 2 } } }
    expect(fromWire(Nested, toWire(Nested, value))).toEqual(value)
    expect(toWire(Nested, value)).toMatchObject({ shape: { data: { some_name: 1, someName: 2 } } })
  })

  it('refuses the TypeScript name on the wire and names the correct one', () => {
    const result = Nested.safeParse(fromWire(Nested, { run_id: 'a', runId: 'b' }))
    expect(result.error?.issues[0]?.message).toContain('runId (write run_id)')
    expect(fromWire(z.object({ runId: z.string().optional() }), { runId: 'b' })).not.toHaveProperty('runId')
  })

  it('drops properties that the contract of an output does not declare', () => {
    expect(toWire(z.object({ id: z.string() }), { id: 'a', chainKey: 'secret' })).toEqual({ id: 'a' })
    expect(toWire(z.looseObject({ id: z.string() }), { id: 'a', more: 1 })).toEqual({ id: 'a', more: 1 })
  })

  it('never sets a prototype through a property name', () => {
    const hostile = JSON.parse('{"run_id":"a","__proto__":{"polluted":true},"constructor":{"prototype":{}}}') as unknown
    const converted = fromWire(Nested, hostile) as Record<string, unknown>
    expect(Object.getPrototypeOf(converted)).toBe(Object.prototype)
    expect(Object.hasOwn(converted, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Nested.safeParse(converted).success).toBe(false)
  })

  it('reports the path of an issue in the names that the sender used', () => {
    expect(wirePath(Nested, ['shape', 'data', 'someName'])).toBe('shape.data.some_name')
    expect(wirePath(Nested, ['byKey', 'someKey', 'startedAt'])).toBe('by_key.someKey.started_at')
    expect(wirePath(Nested, ['runtimeOptions', 'keepThis'])).toBe('runtime_options.keepThis')
    expect(wirePath(Nested, [])).toBe('')
  })

  it('converts any JSON without throwing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...allOperations), fc.jsonValue(), (operation, value) => {
        operation.input.safeParse(fromWire(operation.input, value))
      }),
    )
  })
})
