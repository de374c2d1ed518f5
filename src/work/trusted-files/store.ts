import type { ReadTx, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { deleted, inserted, record } from '../../events/change.ts'
import type { FileKind, TrustedFile } from './contract.ts'

export const trustedFiles = table<TrustedFile>('trusted_files', { key: ['hash'], stream: () => 'system' })

export const findTrustedFile = (tx: ReadTx, hash: string): Promise<TrustedFile | undefined> =>
  findRow(tx, trustedFiles, hash)

export const listTrustedFiles = (tx: ReadTx): Promise<TrustedFile[]> =>
  findRows(tx, trustedFiles, '1 = 1 ORDER BY trusted_at DESC, hash')

export const listTrustedNamed = (tx: ReadTx, name: string): Promise<TrustedFile[]> =>
  findRows(tx, trustedFiles, 'name = ? ORDER BY trusted_at DESC, hash', [name])

/** Returns the version of a path that was trusted last. */
export const findNewestVersion = async (tx: ReadTx, kind: FileKind, name: string): Promise<TrustedFile | undefined> =>
  (await listTrustedNamed(tx, name)).find((each) => each.kind === kind)

/** The caller has locked the stream `system`. */
export const insertTrustedFile = (tx: Tx, file: TrustedFile): Promise<number> =>
  record(tx, eventOf('file_trusted', file, file.trustedBy, 'trusted'), [inserted(trustedFiles, file)])

/** The caller has locked the stream `system`. */
export const deleteTrustedFile = (tx: Tx, file: TrustedFile, by: string): Promise<number> =>
  record(tx, eventOf('file_revoked', file, by, 'no longer trusted'), [deleted(trustedFiles, file)])

const eventOf = (
  kind: 'file_trusted' | 'file_revoked',
  { kind: fileKind, hash, name }: TrustedFile,
  by: string,
  what: string,
) => ({
  kind,
  by,
  code: 'TRUST',
  message: `${name ?? `a ${fileKind} without a path`}: ${what} (${fileKind}, ${hash.slice(0, 12)})`,
  data: { kind: fileKind, hash, name },
})
