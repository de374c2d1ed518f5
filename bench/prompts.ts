import { readFileSync } from 'node:fs'

import { promptPath } from '../src/entries.ts'
import { estimateTokens } from '../src/kernel/tokens.ts'
import { phases } from '../src/playbooks/tiered/contract.ts'
import { atMost, type Benchmark, type Figure } from './figures.ts'

/** Length of the fixed prompt text per tier: the tokens that every call pays for before the brief's own text. */
export const prompts: Benchmark = {
  name: 'prompts',
  run: async () => {
    const sizes = phases.map((phase) => ({ phase, tokens: estimateTokens(fixedTextOf(phase)) }))
    return tiers.map(({ tier, most }): Figure => {
      const own = sizes.filter(({ phase }) => tierOf(phase) === tier).sort((a, b) => b.tokens - a.tokens)
      const note = own.map(({ phase, tokens }) => `${phase} ${tokens}`).join(', ')
      return atMost(`fixed prompt text of ${tier}, longest`, own[0]?.tokens ?? Number.NaN, most, 'tokens', note)
    })
  },
}

const tiers = [
  { tier: 'T1', most: 700 },
  { tier: 'T2', most: 700 },
  { tier: 'T3', most: 700 },
  { tier: 'T4', most: 350 },
  { tier: 'T5', most: 350 },
  { tier: 'any that decides for one below', most: 700 },
] as const

const tierOf = (phase: string): (typeof tiers)[number]['tier'] =>
  phase === 'resolve' ? 'any that decides for one below' : (phase.slice(0, 2).toUpperCase() as 'T1')

/** Returns the fixed text of a prompt. Its tokens are estimated, since no model's own tokeniser is available. */
const fixedTextOf = (phase: string): string =>
  readFileSync(promptPath('tiered', phase), 'utf8').replace(/\{\{\w+\}\}\n*/g, '')
