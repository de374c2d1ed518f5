import type { FileSource } from '../../workspaces/port.ts'

/** Larger files are not kept: they can be read as long as their workspace has them. */
export const maxKeptBytes = 64 * 1024 ** 2

/** The bytes that are kept of one attempt: an agent may name 500 files. */
export const maxKeptOfAttempt = 256 * 1024 ** 2

/** The files that agents have produced, as they were when their evidence was checked: later work may change them. */
export interface KeptFiles {
  /** Keeps a file under its hash. Resolves to false if its bytes have another hash, or the disk has no room for them. */
  keep(sha256: string, source: FileSource): Promise<boolean>
  /** Null: it was not kept. */
  open(sha256: string): Promise<FileSource | null>
}
