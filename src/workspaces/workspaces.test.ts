import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished } from 'vitest'

import { boxHere, createTestBox } from '../../test/support/box.ts'
import { workspacesContract } from './contract-suite.ts'
import { createDirectoryWorkspaces } from './directory.ts'
import { createMemoryWorkspaces } from './memory.ts'

workspacesContract('directory', async () => {
  const root = await mkdtemp(join(tmpdir(), 'agency-workspaces-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return createDirectoryWorkspaces({ root })
})

workspacesContract('memory', async (answers) => {
  const workspaces = createMemoryWorkspaces()
  for (const [command, answer] of Object.entries(answers)) workspaces.answer(command, answer)
  return workspaces
})

describe.skipIf(!boxHere.ok)(`workspaces in a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  workspacesContract(
    'directory',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'agency-workspaces-'))
      onTestFinished(() => rm(root, { recursive: true, force: true }))
      return createDirectoryWorkspaces({ root, box: await createTestBox() })
    },
    { box: true },
  )
})
