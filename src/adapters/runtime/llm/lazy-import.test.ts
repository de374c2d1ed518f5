import { resolve } from 'node:path'
import { expect, it } from 'vitest'

import { readSources } from '../../../../test/support/imports.ts'

const root = resolve(import.meta.dirname, '../../../..')

it('does not load the model library in the daemon', () => {
  const files = new Map(readSources(root, ['src']).map((file) => [file.path, file]))
  const loaded = new Set<string>()
  const load = (target: string): void => {
    if (loaded.has(target)) return
    loaded.add(target)
    for (const each of files.get(target)?.imports ?? []) if (!each.typeOnly && !each.later) load(each.target)
  }
  load('src/daemon/run.ts')
  expect([...loaded]).toContain('src/adapters/runtime/llm/runtime.ts')
  expect([...loaded].filter((name) => name === 'ai' || name.startsWith('@ai-sdk/'))).toEqual([])
})
