import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

import { bugs } from './all.ts'

/** Replaces modules for all later imports; only the replacement itself still imports the original. */
export function injectBug(name: string): void {
  const bug = bugs[name]
  if (bug === undefined) throw new Error(`unknown bug "${name}"; available: ${Object.keys(bugs).join(', ')}`)
  const replaced = new Map(
    Object.entries(bug.replaces).map(([module, replacement]) => [
      originalUrl(module),
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

/** A module that has moved would never be replaced, and its bug never be there to find. */
function originalUrl(module: string): string {
  const url = new URL(`../../../src/${module}`, import.meta.url)
  if (!existsSync(url)) throw new Error(`src/${module} does not exist: correct the path in test/sim/bugs/all.ts`)
  return url.href
}
