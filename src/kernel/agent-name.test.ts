import { describe, expect, it } from 'vitest'

import { nameAndRole, roleAndKey } from './agent-name.ts'

describe('the name of an agent', () => {
  it('has the role of its persona, unless both are the same', () => {
    expect(nameAndRole({ name: 'Verner', role: 'QA Lead' })).toBe('Verner, QA Lead')
    expect(nameAndRole({ name: 'QA lead', role: 'QA Lead' })).toBe('QA lead')
  })

  it('is the role and the key of the brief without a persona', () => {
    expect(roleAndKey('work', 'api-client')).toBe('worker api-client')
    expect(roleAndKey('verify', 'api-client')).toBe('verifier api-client')
  })
})
