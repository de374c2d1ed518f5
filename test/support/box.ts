import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { systemClock } from '../../src/kernel/clock.ts'
import { type Box, type BoxParts, createBox } from '../../src/workspaces/box/box.ts'
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

/** Creates a box with a directory of its own. */
export async function createTestBox(parts: Partial<BoxParts> = {}): Promise<Box> {
  if (!boxHere.ok) throw new Error(boxHere.reason)
  const directory = await mkdtemp(join(tmpdir(), 'agency-b'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return createBox({ program: boxHere.program, directory, socket: null, closed: [], clock: systemClock, ...parts })
}
