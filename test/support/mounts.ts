import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Mounts a small disk until the end of the test: file permissions do not stop root, a full or read-only disk does. */
export function mountDisk(
  sizeKb: number,
  folder = mkdtempSync(join(tmpdir(), 'agency-disk-')),
): { folder: string; makeReadOnly(): void } {
  const failure = mount(folder, sizeKb)
  if (failure !== null) throw new Error(failure)
  onTestFinished(() => unmount(folder))
  return {
    folder,
    makeReadOnly: () => void spawnSync('mount', ['-o', 'remount,ro', folder]),
  }
}

/** Returns the reason why no disk can be mounted on this machine, or null. */
export function mountsMissing(): string | null {
  if (process.getuid?.() !== 0) return 'only root can mount a disk'
  const folder = join(tmpdir(), `agency-disk-probe-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  const failure = mount(folder, 64)
  if (failure === null) unmount(folder)
  else rmSync(folder, { recursive: true, force: true })
  return failure
}

function mount(folder: string, sizeKb: number): string | null {
  const result = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeKb}k,mode=700`, 'tmpfs', folder], {
    encoding: 'utf8',
  })
  return result.status === 0 ? null : `no disk can be mounted here: ${(result.stderr ?? '').trim()}`
}

function unmount(folder: string): void {
  // A lazy unmount: a database that a failed test left open must not block the removal of the folder.
  spawnSync('umount', ['--lazy', folder])
  rmSync(folder, { recursive: true, force: true })
}
