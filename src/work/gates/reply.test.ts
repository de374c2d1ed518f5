import { describe, expect, it } from 'vitest'

import { chosenOption, readReply } from './reply.ts'

describe('a reply in plain words', () => {
  it.each([
    ['approve', { kind: 'approve', target: null }],
    [' Approve! ', { kind: 'approve', target: null }],
    ['approved', { kind: 'approve', target: null }],
    ['approve run_7k2', { kind: 'approve', target: 'run_7k2' }],
    ['APPROVE gat_1', { kind: 'approve', target: 'gat_1' }],
    ['reject: too long', { kind: 'reject', target: null, reason: 'too long' }],
    ['Reject run_7k2: two\nlines: both', { kind: 'reject', target: 'run_7k2', reason: 'two\nlines: both' }],
    ['reject', { kind: 'reasonless' }],
    ['reject run_7k2', { kind: 'reasonless' }],
    ['reject:   ', { kind: 'reasonless' }],
    ['answer qst_1: use tabs', { kind: 'answer', questionId: 'qst_1', answer: 'use tabs' }],
  ])('%j', (text, meant) => {
    expect(readReply(text)).toEqual(meant)
  })

  it.each(['I approve of this', 'approve it please', 'do not approve', 'answer 42', 'retry', ''])(
    'decides nothing by %j',
    (text) => {
      expect(readReply(text)).toEqual({ kind: 'words', text: text.trim() })
    },
  )
})

describe('an option', () => {
  const question = {
    options: [
      { key: 'retry', label: 'Try again' },
      { key: 'abandon', label: 'Give up' },
      { key: '1', label: 'One more' },
    ],
  }

  it.each([
    ['retry', 'retry'],
    ['Abandon.', 'abandon'],
    ['give UP', 'abandon'],
    ['2', 'abandon'],
    ['1', '1'],
    ['4', null],
    ['0', null],
    ['later', null],
  ])('%s', (said, key) => {
    expect(chosenOption(question, said)).toBe(key)
  })
})
