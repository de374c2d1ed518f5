import type { Db, ReadTx } from '../db/port.ts'
import type { Log } from '../kernel/log.ts'
import type { Talent } from '../talent/service.ts'
import { tiered } from '../playbooks/tiered/decide.ts'
import type { Run } from '../work/runs/contract.ts'
import { listOpenRunsOf } from '../work/runs/store.ts'

/**
 * Loads the talent of the teams of open runs, before the engine casts a persona. If one is no longer there, its run
 * uses ours.
 */
export async function prepareTeamTalent(db: Db, talent: Pick<Talent, 'prepare'>, log: Log): Promise<void> {
  for (const { id, configuration } of await db.read(withTeams))
    try {
      if (configuration.team !== undefined) await talent.prepare(configuration.team.talent)
    } catch (error) {
      log.warn('the talent of a team cannot be used; its run continues with the bundled talent', { run: id, error })
    }
}

/** Only runs of this playbook have teams. */
const withTeams = (tx: ReadTx): Promise<Run[]> => listOpenRunsOf(tx, tiered.name)

/** Releases the talent of the teams of ended runs; if the store fails, it is retried later. */
export async function forgetTeamTalent(db: Db, talent: Pick<Talent, 'keepOnly'>, log: Log): Promise<void> {
  try {
    const open = await db.read(withTeams)
    talent.keepOnly(open.flatMap(({ configuration }) => configuration.team?.talent ?? []))
  } catch (error) {
    log.warn('the runs that still need their team’s talent could not be listed', { error })
  }
}
