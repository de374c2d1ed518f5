import { expect, it } from 'vitest'

import { waitState, withoutCommand } from './waits-for.tsx'

it('leaves out the command of a terminal, and keeps colons of the reason', () => {
  expect(withoutCommand('your answer to "Ports: 80 or 81?": agency answer qst_1 <answer>')).toBe(
    'your answer to "Ports: 80 or 81?"',
  )
  expect(withoutCommand('git: finished work is being merged')).toBe('git: finished work is being merged')
})

it('counts the decisions of a run whose other briefs go on', () => {
  const standing = { progress: { done: 0, total: 2, dropped: 0 }, waitsFor: null }
  expect(waitState({ ...standing, state: 'waits_for_you', decisions: 1 })).toEqual({
    tone: 'waiting',
    text: '1 decision waits for you; other briefs go on',
  })
  expect(waitState({ ...standing, state: 'running', decisions: 0 })).toBeNull()
})
