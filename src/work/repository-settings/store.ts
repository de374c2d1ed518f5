import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import type { RepositorySettings } from './contract.ts'

export const repositorySettings = table<RepositorySettings>('repository_settings', {
  key: ['path'],
  json: ['paths'],
  stream: () => 'system',
})

export const findRepositorySettings = (tx: ReadTx, path: string): Promise<RepositorySettings | undefined> =>
  findRow(tx, repositorySettings, path)

export const listRepositorySettings = (tx: ReadTx): Promise<RepositorySettings[]> =>
  findRows(tx, repositorySettings, '1 = 1 ORDER BY path')
