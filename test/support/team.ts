import { record, updated } from '../../src/events/change.ts'
import { accept, openTeam } from '../../src/team/open.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { runs } from '../../src/work/runs/store.ts'
import type { TestAgency } from './agency.ts'

/** Gives a team to a run that has not started, with any playbook: the engine checks no further. */
export async function giveTeam(agency: Pick<TestAgency, 'db'>, run: Run, text: string): Promise<void> {
  const file = { text, name: 'team.yaml' }
  const scripted = { name: 'scripted', trouble: null, simulated: true }
  const team = accept(file, openTeam(file, { runtimes: [scripted], defaultRuntime: 'scripted' }))
  await agency.db.write([`run:${run.id}`], (tx) =>
    record(tx, { kind: 'log', by: 'test', runId: run.id, message: 'a team' }, [
      updated(runs, run, { configuration: { ...run.configuration, team } }),
    ]),
  )
}
