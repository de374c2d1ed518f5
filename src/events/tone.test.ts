import { describe, expect, it } from 'vitest'

import { eventTones, lineTone } from '../kernel/event-tone.ts'
import { EventKind } from './contract.ts'

describe('lineTone', () => {
  it('follows the sign in a message of the engine', () => {
    const line = { kind: 'evidence_checked', code: 'EVIDENCE', by: 'engine' } as const
    expect(lineTone({ ...line, message: 'main 3/4 ✗' })).toBe('bad')
    expect(lineTone({ ...line, message: 'main 4/4 ✓' })).toBe('good')
  })

  it('ignores a sign in the message of an agent', () => {
    expect(lineTone({ kind: 'log', code: null, by: 'agent:1', message: '✓ all done' })).toBe('idle')
  })

  it('names only kinds of event that exist', () => {
    for (const kind of Object.keys(eventTones)) expect(EventKind.options).toContain(kind)
  })
})
