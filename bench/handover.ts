import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createDirectoryWorkspaces } from '../src/workspaces/directory.ts'
import { atMost, type Benchmark, median } from './figures.ts'

const count = 1_000
const bytes = 10 * 1024
const name = `hand-over of ${count} files of 10 KB`
const request = { id: 'brf_2', runId: 'run_1' }

/** Compares the hand-over of files, whose hashes are checked, with a plain copy of the same files. */
export const handover: Benchmark = {
  name: 'handover',
  run: async ({ quick, log }) => {
    const folder = mkdtempSync(join(tmpdir(), 'agency-bench-handover-'))
    try {
      const workspaces = createDirectoryWorkspaces({ root: folder })
      const { path: source } = await workspaces.prepare({ id: 'brf_1', runId: 'run_1' })
      await workspaces.prepare(request)
      const files = writeFiles(source)
      const ours: number[] = []
      const plain: number[] = []
      const copy = join(folder, 'copy')
      const rounds = quick ? 3 : 15
      // In turns, so that other load on the machine affects both; the first round warms up.
      for (let round = 0; round <= rounds; round += 1) {
        await workspaces.prepare(request)
        const laidMs = await timed(async () => {
          const laid = await workspaces.lay(request, files)
          if ('refused' in laid || laid.files.length !== count) throw new Error('not all files were laid')
        })
        rmSync(copy, { recursive: true, force: true })
        const copiedMs = await timed(() => {
          if (spawnSync('cp', ['-r', source, copy]).status !== 0) throw new Error('cp failed')
        })
        if (round > 0) {
          ours.push(laidMs)
          plain.push(copiedMs)
        }
      }
      log(`hand-over ${median(ours).toFixed(1)} ms, cp -r ${median(plain).toFixed(1)} ms`)
      return [atMost(name, median(ours) / median(plain), 2, '× cp -r')]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Writes files into ten directories; returns them as outputs. */
function writeFiles(source: string) {
  return Array.from({ length: count }, (_, index) => {
    const path = `part-${index % 10}/file-${index}.bin`
    const content = Buffer.alloc(bytes, `${index} `)
    mkdirSync(join(source, `part-${index % 10}`), { recursive: true })
    writeFileSync(join(source, path), content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    return { from: { id: 'brf_1', directory: null }, folder: 'first', path, sha256 }
  })
}

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
