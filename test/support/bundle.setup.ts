import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { bundleInto } from '../../scripts/bundle.ts'
import { buildVariable, testEntries } from './bundle.ts'

let folder: string | null = null

/** Bundles the product once for all files of the run, in a folder that no other build writes to. */
export async function setup(): Promise<void> {
  if (process.env[buildVariable] !== undefined) return
  mkdirSync('node_modules/.cache', { recursive: true })
  folder = resolve(mkdtempSync('node_modules/.cache/agency-test-'))
  // The bundle reads its package.json one folder up, as in an installation.
  cpSync('package.json', join(folder, 'package.json'))
  const dist = join(folder, 'dist')
  mkdirSync(dist)
  await bundleInto(dist, testEntries)
  process.env[buildVariable] = dist
}

export function teardown(): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true })
}
