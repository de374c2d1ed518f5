import { describe, expect, it } from 'vitest'

import { lineTone } from './tone.ts'

describe('lineTone', () => {
  it('follows the sign in a message of the engine', () => {
    const line = { kind: 'evidence_checked', code: 'EVIDENCE', by: 'engine' } as const
    expect(lineTone({ ...line, message: 'main 3/4 ✗' })).toBe('bad')
    expect(lineTone({ ...line, message: 'main 4/4 ✓' })).toBe('good')
  })

  it('ignores a sign in the message of an agent', () => {
    expect(lineTone({ kind: 'log', code: null, by: 'agent:1', message: '✓ all done' })).toBe('idle')
  })
})
