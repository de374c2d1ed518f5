import { hostOf, isUsable, providersOf } from '../adapters/runtime/llm/providers.ts'
import type { Configuration } from '../config/contract.ts'
import { type Finding, ok } from './finding.ts'

/** Whom the runtime `llm` could ask. Nobody is asked here: that could cost money. Having nobody is no fault. */
export function examineModels(
  env: Readonly<Record<string, string | undefined>>,
  settings: Configuration['llm'] = { providers: {} },
): Finding {
  const all = [...providersOf(settings.providers, env).values()]
  const usable = all.filter(isUsable).map((each) => `${each.name} (${each.keyName ?? hostOf(each)})`)
  if (usable.length > 0) return ok('models', usable.join(', '))
  const names = all.flatMap(({ keyName }) => keyName ?? [])
  return ok('models', `nobody to ask: none of ${names.join(', ')} is set here; only the runtime llm needs one`)
}
