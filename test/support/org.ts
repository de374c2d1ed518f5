import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Event } from '../../src/events/contract.ts'
import { readStreamPage } from '../../src/events/store.ts'
import type { AgentActor } from '../../src/kernel/actor.ts'
import type { PersonaId } from '../../src/kernel/ids.ts'
import { noLog } from '../../src/kernel/log.ts'
import { composeOrganisation, type Org, type OrgParts } from '../../src/org/compose.ts'
import { writeInitialFiles } from '../../src/org/initial-files.ts'
import { agentWork } from '../../src/work/agent-work.ts'
import { agentOf, startAgency, type TestAgency } from './agency.ts'
import { type FreshStore, freshFolder, type OpenFresh } from './store.ts'

export interface TestOrg extends Org {
  readonly agency: TestAgency & { store: FreshStore }
  readonly db: TestAgency['db']
  readonly root: string
  /** Returns a live agent of that persona, which works for an organisation (1: Development) until the test ends. */
  agentAs(personaId: number, organisationId?: number): Promise<AgentActor>
  events(stream: string): Promise<Event[]>
  /** Writes a file directly, as a person with an editor would. */
  edit(path: string, text: string): void
  look(path: string): string
}

/**
 * Opens the organisation's services on a store and a data directory of their own; checks audit and replay at the end.
 */
export async function openOrg(
  openFresh: OpenFresh,
  { root = freshFolder(), ...texts }: { root?: string } & Pick<OrgParts, 'poolText'> = {},
): Promise<TestOrg> {
  const agency = await startAgency(openFresh)
  const { db, clock } = agency
  const org = composeOrganisation({ db, clock, log: noLog, work: agentWork, data: root, ...texts })
  await writeInitialFiles(db, org.files)
  return {
    ...org,
    agency,
    db,
    root,
    async agentAs(personaId, organisationId = 1) {
      const run = await agency.run({ organisationId, play: [[{ log: `gate ${personaId}` }]] })
      const attempt = await agency.until(async () =>
        (await agency.inspect(run)).attempts.find((each) => each.status === 'running'),
      )
      return { ...agentOf(attempt), personaId: personaId as PersonaId }
    },
    events: async (stream) =>
      (await db.read((tx) => readStreamPage(tx, stream, { limit: 1_000 }))).events.filter(
        (event) => event.kind === 'org_changed',
      ),
    edit(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    look: (path) => readFileSync(join(root, path), 'utf8'),
  }
}
