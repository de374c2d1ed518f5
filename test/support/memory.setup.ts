import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { memoryFolder } from './machine.ts'
import { isRunning } from './processes.ts'

let folder: string | null = null

/** Puts temporary files into memory if the machine has enough, so that thousands of tests do not wait for the disk. */
export function setup(): void {
  const memory = memoryFolder()
  if (memory === null || process.env['TMPDIR'] !== undefined) return
  for (const name of readdirSync(memory))
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length).split('-')[0])))
      rmSync(join(memory, name), { recursive: true, force: true })
  folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
  process.env['TMPDIR'] = folder
}

export function teardown(): void {
  if (folder === null) return
  delete process.env['TMPDIR']
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

const prefix = 'agency-tests-'
