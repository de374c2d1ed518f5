import { expect, it } from 'vitest'

import { withoutCommand } from './waits-for.tsx'

it('leaves out the command of a terminal, and keeps colons of the reason', () => {
  expect(withoutCommand('your answer to "Ports: 80 or 81?": agency answer qst_1 <answer>')).toBe(
    'your answer to "Ports: 80 or 81?"',
  )
  expect(withoutCommand('git: finished work is being merged')).toBe('git: finished work is being merged')
})
