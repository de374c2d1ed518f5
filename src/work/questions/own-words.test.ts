import { describe, expect, it } from 'vitest'

import { type QuestionClass, takesOwnWords } from './contract.ts'

const question = (cause: QuestionClass, ...keys: string[]) => ({
  class: cause,
  options: keys.map((key) => ({ key, label: key, detail: '' })),
})

describe('an answer in own words', () => {
  it('is taken where it is guidance or a setup command, and nowhere else', () => {
    expect(takesOwnWords(question('bad_output', 'retry', 'abandon'))).toBe(true)
    expect(takesOwnWords(question('checks', 'setup', 'workspace', 'retry'))).toBe(true)
    // Commands on the host are changed in config.yaml only.
    expect(takesOwnWords(question('checks', 'retry', 'agent', 'abandon'))).toBe(false)
    expect(takesOwnWords(question('gate', 'resume', 'abandon'))).toBe(false)
  })
})
