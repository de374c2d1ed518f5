// @suite process

import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { createGitBench, plainGit, plainWorkspace, writeFiles } from '../../test/support/git-bench.ts'
import { mountDisk, mountsMissing } from '../../test/support/mounts.ts'
import { noLog } from '../kernel/log.ts'
import { collect } from './collect.ts'
import { GitError } from './git.ts'
import { createMirrors } from './mirrors.ts'

const missing = mountsMissing()
if (missing !== null) console.log(`skipped, full disks: ${missing}`)

const bench = createGitBench()
const { git, repository, author, folder } = bench

/** Fills a disk up to the given free space. */
function fill(disk: string, leftKb: number): string {
  const { bavail, bsize } = statfsSync(disk)
  const path = join(disk, 'filling')
  writeFileSync(path, Buffer.alloc(bavail * bsize - leftKb * 1024))
  return path
}

describe.skipIf(missing !== null)('a full disk', () => {
  it('leaves no partial mirror, and the mirror can be created once there is space', async () => {
    const disk = mountDisk(4_096).folder
    const mirrors = createMirrors({ root: disk, git, log: noLog })
    const source = repository({ 'noise.bin': randomBytes(600_000).toString('hex') })
    const filling = fill(disk, 200)
    await expect(mirrors.refresh(source)).rejects.toThrow(/No space left on device|write error|pack/i)
    expect(readdirSync(disk)).toEqual(['filling'])
    rmSync(filling)
    expect(await mirrors.refresh(source)).toMatchObject({ branch: 'main' })
  })

  it('is not blamed on the agent, and loses none of its work', async () => {
    const disk = mountDisk(4_096).folder
    const mirrors = createMirrors({ root: disk, git, log: noLog })
    const { path: mirror, commit: start } = await mirrors.refresh(repository())
    const workspace = plainWorkspace(folder('workspace'))
    await mirrors.clone({ mirror, branch: 'work', start, author }, workspace.path)
    writeFiles(workspace.path, { 'noise.bin': randomBytes(600_000) })
    const order = { mirror, workspace, start, message: 'left', author, ref: 'brf_1' }
    // Too little space for the pack itself, then for its unpacked objects, then for the mirror.
    for (const leftKb of [100, 900, 1_400]) {
      const filling = fill(disk, leftKb)
      const failure: unknown = await collect(git, order).catch((error: unknown) => error)
      expect(failure).toSatisfy((error) => error instanceof GitError || (error as { code?: string }).code === 'ENOSPC')
      rmSync(filling)
      expect(readdirSync(disk)).toEqual([basename(mirror)])
    }
    expect(await collect(git, order)).toMatchObject({ outcome: 'collected', files: [{ path: 'noise.bin' }] })
    plainGit(mirror, 'fsck')
  })
})
