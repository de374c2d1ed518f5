import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { systemClock } from '../../src/kernel/clock.ts'
import { type Box, type BoxParts, createBox } from '../../src/workspaces/box/box.ts'
import { boxHere } from './box-here.ts'

export { boxHere }

/** Creates a box with a directory of its own. */
export async function createTestBox(parts: Partial<BoxParts> = {}): Promise<Box> {
  if (!boxHere.ok) throw new Error(boxHere.reason)
  const directory = await mkdtemp(join(tmpdir(), 'agency-b'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return createBox({ program: boxHere.program, directory, connect: null, closed: [], clock: systemClock, ...parts })
}
