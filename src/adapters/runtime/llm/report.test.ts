import { describe, expect, it } from 'vitest'

import { objectsIn } from './json.ts'
import { reportIn } from './report.ts'

const fenced = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`

describe('objects in a text', () => {
  it('are those in code fences, the last first, among other fences', () => {
    const text = `First:\n${fenced({ a: 1 })}\n\`\`\`sh\nls\n\`\`\`\n${fenced([1])}and {not} this\n\`\`\`\n{"b": 2}\`\`\` \`\`\`{`
    expect(objectsIn(text)).toEqual([{ b: 2 }, { a: 1 }])
  })

  it('are the last ten if there are more', () => {
    const text = Array.from({ length: 1_000 }, (_, at) => fenced({ at })).join('')
    expect(objectsIn(text)).toEqual(Array.from({ length: 10 }, (_, at) => ({ at: 999 - at })))
  })

  it.each([
    ['backticks', '`'.repeat(500_000)],
    ['backticks in lines', '```\n'.repeat(100_000)],
    ['backticks behind a line', `\n${'`'.repeat(500_000)}\n`],
    ['fences of invalid objects', '```\n{x\n```\n'.repeat(50_000)],
    ['fences that are left open', '``` '.repeat(100_000)],
  ])('are searched in one pass, also among %s', (_, text) => {
    const before = performance.now()
    expect(objectsIn(text)).toEqual([])
    // A quadratic search took minutes.
    expect(performance.now() - before).toBeLessThan(2_000)
  })
})

describe('a report among many objects', () => {
  const output = { name: 'the plan.yaml', schema: { type: 'object', required: ['tasks'] } }

  it('is the last that matches the schema', async () => {
    const text = [{ tasks: 1 }, { tasks: 2 }, { other: 3 }].map(fenced).join('')
    expect(await reportIn(text, { kind: 'work', output })).toMatchObject({ status: 'done', output: { tasks: 2 } })
  })

  it('is found with a schema that is compiled once', async () => {
    let reads = 0
    const counted = { ...output, schema: { ...output.schema } }
    Object.defineProperty(counted.schema, 'required', { enumerable: true, get: () => ((reads += 1), ['tasks']) })
    const few = await reportIn(fenced({ other: 1 }), { kind: 'work', output: counted })
    const readsOfOne = reads
    reads = 0
    const many = Array.from({ length: 1_000 }, () => fenced({ other: 1 })).join('')
    expect(await reportIn(many, { kind: 'work', output: counted })).toEqual(few)
    expect(reads).toBe(readsOfOne)
    expect(reads).toBeGreaterThan(0)
  })
})
