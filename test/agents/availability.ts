import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { detectBox } from '../../src/workspaces/box/detect.ts'
import { installClaude } from './install.ts'

/** Returns the reason why coding agents cannot run on this machine, or null; installs them if possible. */
export async function agentsMissing(): Promise<string | null> {
  const directory = mkdtempSync(join(tmpdir(), 'agency-box-'))
  try {
    const box = await detectBox({ directory })
    if (!box.ok) return `there is no box: ${box.reason} (${box.install})`
    const installed = installClaude()
    return 'missing' in installed ? installed.missing : null
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
