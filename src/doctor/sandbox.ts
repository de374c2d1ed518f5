import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Configuration } from '../config/contract.ts'
import { detectBox } from '../workspaces/box/detect.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

/** Reports the sandbox that agents get here, which is detected by starting one. */
export async function examineSandbox(
  env: Readonly<Record<string, string | undefined>>,
  setting: Configuration['box'] = 'auto',
): Promise<Finding> {
  if (setting === 'off')
    return warn('sandbox', 'audit-only: switched off by "box: off"', 'Set "box: auto" in config.yaml.')
  const directory = await mkdtemp(join(tmpdir(), 'agency-doctor-'))
  try {
    const found = await detectBox({ path: env['PATH'], directory })
    if (found.ok) return ok('sandbox', `bwrap (bubblewrap ${found.version})`)
    if (setting === 'required')
      return fail('sandbox', `no sandbox, but "box: required" is set: ${found.reason}`, found.install)
    return warn(
      'sandbox',
      `audit-only: ${found.reason}; agents and evidence commands can access everything that you can`,
      found.install,
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
