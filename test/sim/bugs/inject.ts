import { registerHooks } from 'node:module'

import { bugs } from './all.ts'

/** From now on, whoever imports a module that the bug replaces gets the replacement, which alone still sees the original. */
export function injectBug(name: string): void {
  const bug = bugs[name]
  if (bug === undefined) throw new Error(`there is no bug "${name}"; there are: ${Object.keys(bugs).join(', ')}`)
  const replaced = new Map(
    Object.entries(bug.replaces).map(([module, replacement]) => [
      new URL(`../../../src/${module}`, import.meta.url).href,
      new URL(replacement, import.meta.url).href,
    ]),
  )
  const here = new URL('.', import.meta.url).href
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const replacement = context.parentURL?.startsWith(here) === true ? undefined : replaced.get(found.url)
      return replacement === undefined ? found : { ...found, url: replacement }
    },
  })
}
