import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Names of models, which only adapters, configurations and tests may contain. */
const modelIds = [
  /\bclaude-(?:opus|sonnet|haiku|instant|[0-9])/i,
  /\b(?:opus|sonnet|haiku)[- ]?[0-9]/i,
  /\bgpt-?[0-9]/i,
  /\bo[1-9]-(?:mini|preview|pro)\b/i,
  /\bgemini-[0-9]/i,
  /\b(?:llama|grok|phi|gemma|qwen)-?[0-9]/i,
  /\b(?:mistral|mixtral|deepseek|codestral)\b/i,
]
const vendors = /\b(?:anthropic|openai|ollama|mistral|deepseek|xai|cohere)\b/i

/** Names the formats of tokens by the providers that give them out. */
const formatsOfTokens = 'src/secrets/tokens.ts'

const isCore = (path: string): boolean => !/^src\/(adapters|config|doctor)\/|\.test\.tsx?$/.test(path)

/** Returns `path:line` of every match of the patterns. */
const found = (path: string, text: string, patterns: readonly RegExp[]): string[] =>
  text.split('\n').flatMap((line, at) => (patterns.some((each) => each.test(line)) ? [`${path}:${at + 1}`] : []))

const sources = globSync('src/**/*.{ts,md,yaml,sql}', { cwd: root })
  .filter((path) => !path.startsWith('src/adapters/') && path !== formatsOfTokens && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

describe('the core', () => {
  it('is read by these tests', () => {
    expect(sources.filter(({ path }) => isCore(path)).length).toBeGreaterThan(300)
    for (const part of ['engine', 'playbooks', 'team', 'work'])
      expect(sources.some(({ path }) => path.startsWith(`src/${part}/`))).toBe(true)
  })

  it('contains no name of a model', () => {
    expect(sources.flatMap(({ path, text }) => found(path, text, modelIds))).toEqual([])
  })

  it('contains no name of a model vendor', () => {
    const core = sources.filter(({ path }) => isCore(path))
    expect(core.flatMap(({ path, text }) => found(path, text, [vendors]))).toEqual([])
  })

  it.each([
    'claude-sonnet-4',
    'claude-3-opus',
    'Opus 5',
    'gpt-4o',
    'gpt5',
    'o3-mini',
    'gemini-2.5-pro',
    'llama3',
    'mixtral',
  ])('would be reported for %s', (name) => {
    expect(found('x.ts', `// asks\nconst model = '${name}'`, modelIds)).toEqual(['x.ts:2'])
  })
})
