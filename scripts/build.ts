import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'

import { bundleInto } from './bundle.ts'

const root = resolve(import.meta.dirname, '..')

await main()

async function main(): Promise<void> {
  const started = performance.now()
  process.chdir(root)
  mkdirSync('node_modules/.cache', { recursive: true })
  const folder = mkdtempSync('node_modules/.cache/agency-build-')
  try {
    await bundleInto(folder)
    replace(folder, 'dist')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const size = statSync('dist/cli.mjs').size
  console.log(
    `built dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s; cli.mjs is ${(size / 1024).toFixed(0)} KB`,
  )
}

/** Renames the folders, so that a program started during a build never finds half of one. */
function replace(folder: string, target: string): void {
  const old = join('node_modules/.cache', `${basename(folder)}-old`)
  if (existsSync(target)) renameSync(target, old)
  renameSync(folder, target)
  rmSync(old, { recursive: true, force: true })
}
