import { expect, it } from 'vitest'

import { amountsOf } from './budget-answer.tsx'

const cost = { tokenLimit: null, tokensSpent: 0, costLimitMicros: 1e6, microsSpent: 1_020_000, isAboutCost: true }

it('offers amounts of the unit that is used up, with the limit that each leads to', () => {
  expect(amountsOf(cost)).toEqual([
    { label: '+$1', limit: '$2.02', answer: '+$1' },
    { label: '+$5', limit: '$6.02', answer: '+$5' },
    { label: 'Double', limit: '$2.02', answer: 'raise' },
  ])
  const tokens = { tokenLimit: 5_000, tokensSpent: 5_000, costLimitMicros: null, microsSpent: 0, isAboutCost: false }
  expect(amountsOf(tokens).map(({ label, limit }) => `${label} to ${limit}`)).toEqual([
    '+10,000 tokens to 15,000 tokens',
    '+100,000 tokens to 105,000 tokens',
    'Double to 10,000 tokens',
  ])
})
