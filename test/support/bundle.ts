import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { entrySources } from '../../src/entries.ts'

/** Set by `bundle.setup.ts` to the folder with the bundle of this test run. */
export const buildVariable = 'AGENCY_TEST_BUILD'

/** Entries that only tests use, bundled beside the product's. */
export const testEntries = {
  'test-daemon': 'test/support/daemon-main.ts',
  'chaos-daemon': 'test/chaos/daemon.ts',
} as const

/** Returns the bundled entry if there is a bundle, which suites with hundreds of processes build; else the source. */
export function builtEntry(name: keyof typeof testEntries | 'agency'): string {
  const folder = process.env[buildVariable]
  if (folder !== undefined) return join(folder, `${name}.mjs`)
  const source = name === 'agency' ? join('src', entrySources.agency) : testEntries[name]
  return fileURLToPath(new URL(`../../${source}`, import.meta.url))
}

/** Returns the dashboard's folder in the bundle, or null if there is no bundle. */
export const builtDashboard = (): string | null => {
  const folder = process.env[buildVariable]
  return folder === undefined ? null : join(folder, 'web')
}
