import type { Output } from '../../work/evidence/record.ts'
import { type KeptFiles, maxKeptBytes, maxKeptOfAttempt } from '../../work/artifacts/kept-files.ts'
import type { Workspace } from '../../workspaces/port.ts'

export type KeepOutputs = (outputs: readonly Output[], files: Workspace) => Promise<void>

/** Returns a function that keeps the outputs of one attempt as they are checked, up to the limits. */
export function createKeepOutputs(kept: KeptFiles | undefined): KeepOutputs {
  let left = maxKeptOfAttempt
  return async (outputs, files) => {
    if (kept === undefined) return
    for (const { path, sha256, bytes } of outputs) {
      if (bytes > maxKeptBytes || bytes > left) continue
      left -= bytes
      const source = await files.source(path)
      if (source !== null) await kept.keep(sha256, source)
    }
  }
}
