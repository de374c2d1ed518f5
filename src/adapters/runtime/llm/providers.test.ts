import { expect, it } from 'vitest'

import type { ProviderSettings } from './contract.ts'
import { isUsable, providersOf } from './providers.ts'

const addressOf = (name: string, environment: Record<string, string>, settings?: ProviderSettings) =>
  providersOf(settings === undefined ? {} : { [name]: settings }, environment).get(name)?.baseUrl

it.each([
  ['anthropic', {}, 'https://api.anthropic.com/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/api/' }, 'http://127.0.0.1:1/api/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/api/v1/' }, 'http://127.0.0.1:1/api/v1'],
  ['anthropic', { ANTHROPIC_BASE_URL: 'nonsense' }, 'https://api.anthropic.com/v1'],
  ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:1/x' }, 'http://127.0.0.1:1/x'],
  ['ollama', { OPENAI_BASE_URL: 'http://127.0.0.1:1/x' }, 'http://127.0.0.1:11434/v1'],
])('%s has its default address, or that of the environment: %j', (name, environment, address) => {
  expect(addressOf(name, environment)).toBe(address)
})

it.each([
  [{ kind: 'ollama', baseUrl: 'http://gpu:11434/' }, 'http://gpu:11434/v1'],
  [{ kind: 'anthropic', baseUrl: 'http://gate/anthropic/' }, 'http://gate/anthropic'],
  [{ kind: 'openai-compatible', baseUrl: 'http://gate/' }, 'http://gate'],
] as [ProviderSettings, string][])('prefers the configured address to both: %j', (settings, address) => {
  const environment = { ANTHROPIC_BASE_URL: 'http://other', OPENAI_BASE_URL: 'http://other' }
  expect(addressOf('mine', environment, settings)).toBe(address)
})

it('reads the key from the variable of its name, or has none', () => {
  const environment = { ANTHROPIC_API_KEY: 'one', CORP: 'two', OPENAI_API_KEY: '' }
  const providers = providersOf(
    {
      corp: { kind: 'anthropic', baseUrl: null, apiKeyEnv: 'CORP' },
      open: { kind: 'anthropic', baseUrl: 'http://127.0.0.1:1', apiKeyEnv: null },
    },
    environment,
  )
  expect([...providers.values()].map((each) => [each.name, each.keyName, each.key, isUsable(each)])).toEqual([
    ['anthropic', 'ANTHROPIC_API_KEY', 'one', true],
    ['openai', 'OPENAI_API_KEY', null, false],
    ['ollama', null, null, false],
    ['corp', 'CORP', 'two', true],
    ['open', null, null, true],
  ])
})
