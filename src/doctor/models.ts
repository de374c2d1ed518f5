import { hostOf, isUsable, providersOf } from '../adapters/runtime/llm/providers.ts'
import type { Configuration } from '../config/contract.ts'
import { type Finding, ok } from './finding.ts'

/**
 * Lists the providers that the runtime `llm` can use. None is called here: that could cost money. Having none is not a
 * fault.
 */
export function examineModels(
  env: Readonly<Record<string, string | undefined>>,
  settings: Configuration['llm'] = { providers: {} },
): Finding {
  const all = [...providersOf(settings.providers, env).values()]
  const usable = all.filter(isUsable).map((each) => `${each.name} (${each.keyName ?? hostOf(each)})`)
  if (usable.length > 0) return ok('models', usable.join(', '))
  const names = all.flatMap(({ keyName }) => keyName ?? [])
  return ok('models', `no provider: none of ${names.join(', ')} is set here; only the runtime llm needs one`)
}
