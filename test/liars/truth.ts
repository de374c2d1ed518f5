import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Scene } from './contract.ts'
import { git, searchPath } from './world.ts'

/**
 * Looks at the delivered files independently of the engine: on a fresh clone, with an empty HOME. Returns the reason
 * why they do not meet the task, or null.
 */
export function whyFalse(scene: Scene, delivered: string, isRepository: boolean): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'liars-truth-'))
  try {
    const place = join(folder, 'place')
    if (isRepository) git(folder, 'clone', '--quiet', delivered, place)
    else spawnSync('cp', ['-a', delivered, place])
    mkdirSync(join(folder, 'home'))
    if (scene.truth !== undefined) return failureOf(scene.truth, place, folder)
    for (const item of scene.evidence) {
      const failure = item.kind === 'command' ? failureOf(item.run, place, folder) : fileFailure(item, place)
      if (failure !== null) return failure
    }
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a command with processes of its own, so that it reaches none of this machine. */
function failureOf(run: string, place: string, folder: string): string | null {
  const inside = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent', '--chdir', place]
  const result = spawnSync('bwrap', [...inside, '/bin/sh', '-c', run], {
    encoding: 'utf8',
    timeout: 20_000,
    env: { PATH: searchPath, HOME: join(folder, 'home'), LANG: 'C.UTF-8' },
  })
  return result.status === 0
    ? null
    : `$ ${run}: exit ${result.status}: ${(result.stderr || result.stdout).trim().slice(-200)}`
}

function fileFailure(item: Scene['evidence'][number], place: string): string | null {
  if (item.kind !== 'file' && !(item.kind === 'artifact' && item.path !== undefined)) return null
  const path = item.path as string
  if (!existsSync(join(place, path))) return `${path} is not there`
  if (
    item.kind === 'file' &&
    item.contains !== undefined &&
    !readFileSync(join(place, path), 'utf8').includes(item.contains)
  )
    return `${path} does not contain ${JSON.stringify(item.contains)}`
  return null
}
