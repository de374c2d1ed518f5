import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type BoxDetection, detectBox } from '../../src/workspaces/box/detect.ts'

/**
 * Whether this machine can create a box, detected once per test file; if not, the reason with which tests are skipped.
 */
export const boxHere: BoxDetection = await detectOnce()

async function detectOnce(): Promise<BoxDetection> {
  const directory = await mkdtemp(join(tmpdir(), 'agency-box-'))
  try {
    return await detectBox({ directory })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
