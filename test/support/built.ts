import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { entrySources } from '../../src/entries.ts'

/** Set by `built.setup.ts` to the folder that holds the product as it was bundled for this run of the tests. */
export const buildVariable = 'AGENCY_TEST_BUILD'

/** Entries of the tests' own, bundled like the product's and beside them. */
export const testEntries = {
  'test-daemon': 'test/support/daemon-main.ts',
  'chaos-daemon': 'test/chaos/daemon.ts',
} as const

/** Bundled where there is a bundle, because hundreds of processes are started from it; from source otherwise. */
export function builtEntry(name: keyof typeof testEntries | 'agency'): string {
  const folder = process.env[buildVariable]
  if (folder !== undefined) return join(folder, `${name}.mjs`)
  const source = name === 'agency' ? join('src', entrySources.agency) : testEntries[name]
  return fileURLToPath(new URL(`../../${source}`, import.meta.url))
}

/** The dashboard of that bundle, or null where there is none. */
export const builtDashboard = (): string | null => {
  const folder = process.env[buildVariable]
  return folder === undefined ? null : join(folder, 'web')
}
