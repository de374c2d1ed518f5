import { expect, onTestFinished } from 'vitest'

import { openStore } from '../../src/db/open.ts'
import type { Db } from '../../src/db/port.ts'
import { auditEvents } from '../../src/events/audit.ts'
import { replayEvents } from '../../src/events/replay.ts'
import { AgencyError } from '../../src/kernel/errors.ts'
import { noLog } from '../../src/kernel/log.ts'
import { composeOrganisation, type Org } from '../../src/org/compose.ts'
import { changeLines } from '../../src/org/document/cli.ts'
import type { Fault } from '../../src/documents/contract.ts'
import type { Imported } from '../../src/org/document/import.ts'
import type { ExportOptions } from '../../src/org/document/export.ts'
import { writeInitialFiles } from '../../src/org/initial-files.ts'
import { seedOrganisation } from '../../src/org/seed.ts'
import { eventTables } from '../../src/tables.ts'
import { agentWork } from '../../src/work/agent-work.ts'
import { freshFolder, type OpenFresh, testChainKey } from './store.ts'
import { createVirtualClock } from './virtual-clock.ts'
import { operator } from './work.ts'

export interface DocumentServices extends Org {
  readonly db: Db
  readonly root: string
}

/**
 * Opens the organisation's services without an engine, as after a first start or one with `--no-seed`. At the end of the
 * test, audit and replay must have no findings.
 */
export async function openDocuments(
  openFresh: OpenFresh,
  { isEmpty = false, root = freshFolder() } = {},
): Promise<DocumentServices> {
  const { db } = await openFresh({ clock: createVirtualClock() })
  return furnish(db, isEmpty, root)
}

/** Opens the services in memory, for tests of documents that do not depend on the store. */
export async function openDocumentsInMemory({ isEmpty = false } = {}): Promise<DocumentServices> {
  const db = await openStore(
    { kind: 'sqlite', path: ':memory:' },
    { clock: createVirtualClock(), chainKey: testChainKey },
  )
  onTestFinished(() => db.close())
  return furnish(db, isEmpty, freshFolder())
}

async function furnish(db: Db, isEmpty: boolean, root: string): Promise<DocumentServices> {
  await seedOrganisation(db, { isEmpty })
  const org = composeOrganisation({ db, clock: createVirtualClock(), log: noLog, work: agentWork, data: root })
  await writeInitialFiles(db, org.files)
  onTestFinished(() => expectSound(db))
  return { ...org, db, root }
}

export async function expectSound(db: Db): Promise<void> {
  expect((await auditEvents(db)).findings).toEqual([])
  expect((await replayEvents(db, eventTables)).differences).toEqual([])
}

export const exportOf = async (org: Org, name: string, options: Partial<ExportOptions> = {}): Promise<string> =>
  (await org.documents.export(name, { format: 'yaml', positionsOnly: false, allRoles: false, ...options })).document

interface Options {
  force?: boolean
  withIntent?: boolean
}

export const importInto = (org: Org, document: string, options: Options = {}): Promise<Imported> =>
  org.documents.import(operator, document, { preview: false, force: false, withIntent: false, ...options })

/** Returns the lines that `agency org import --preview` prints. */
export async function previewOf(org: Org, document: string, options: Options = {}): Promise<string[]> {
  const all = { preview: true, force: false, withIntent: false, ...options }
  return changeLines((await org.documents.import(operator, document, all)).changes, true)
}

/** Returns faults as `line:column message`, with warnings marked. */
export async function faultsOf(org: Org, document: string): Promise<string[]> {
  const { faults } = await org.documents.validate(operator, document)
  return faults.map(lineOf)
}

const lineOf = ({ severity, line, column, message }: Fault): string =>
  `${severity === 'warning' ? 'warning ' : ''}${line}:${column} ${message}`

/** Returns the error with which the work was refused; fails if it succeeded. */
export async function refusalOf(work: Promise<unknown>): Promise<AgencyError> {
  try {
    await work
  } catch (error) {
    if (error instanceof AgencyError) return error
    throw error
  }
  throw new Error('the operation was not refused')
}
