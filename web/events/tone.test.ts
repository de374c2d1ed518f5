import { describe, expect, it } from 'vitest'

import { lineTone } from './tone.ts'

describe('a line of the log', () => {
  it('takes its sign from the engine', () => {
    const line = { kind: 'evidence_checked', code: 'EVIDENCE', by: 'engine' } as const
    expect(lineTone({ ...line, message: 'main 3/4 ✗' })).toBe('bad')
    expect(lineTone({ ...line, message: 'main 4/4 ✓' })).toBe('good')
  })

  it('takes no sign from what an agent writes', () => {
    expect(lineTone({ kind: 'log', code: null, by: 'agent:1', message: '✓ all done' })).toBe('idle')
  })
})
