import type { ReadTx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import type { Question } from '../questions/contract.ts'
import { questions } from '../questions/store.ts'
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

/** Returns the hold of work that waits for the question about a repository; it is also the asker of that question. */
export const checksHold = (repository: string): string => `checks:${repository}`

export const repositoryOf = (hold: string): string => hold.slice('checks:'.length)

/** Lists the open questions about the checks of repositories, oldest first; there is at most one for each. */
export const listWaitingQuestions = (tx: ReadTx): Promise<Question[]> =>
  findRows(tx, questions, "class = 'checks' AND answered_at IS NULL ORDER BY created_at, id")

export const findWaitingQuestion = async (tx: ReadTx, repository: string): Promise<Question | undefined> =>
  (
    await findRows(tx, questions, "class = 'checks' AND answered_at IS NULL AND asked_by = ? ORDER BY created_at, id", [
      checksHold(repository),
    ])
  )[0]
