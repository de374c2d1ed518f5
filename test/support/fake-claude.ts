import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const versionLine = '2.1.325 (Claude Code)'

/** Creates a program that answers --version as Claude Code does, and otherwise runs this shell script. */
export function fakeClaude(script: string, folder: string, name = 'claude', version = `echo '${versionLine}'`): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nif [ "$1" = --version ]; then ${version}; exit; fi\n${script}\n`)
  chmodSync(path, 0o700)
  return path
}

export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agency-claude-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
