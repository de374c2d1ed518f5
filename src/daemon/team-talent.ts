import type { Db } from '../db/port.ts'
import type { Log } from '../kernel/log.ts'
import type { Talent } from '../talent/service.ts'
import { listOpenTieredRuns } from '../work/runs/store.ts'

/** What the teams of runs under way bring, before the engine casts anybody. One that has gone meanwhile leaves ours. */
export async function prepareTeamTalent(db: Db, talent: Pick<Talent, 'prepare'>, log: Log): Promise<void> {
  for (const { id, configuration } of await db.read(listOpenTieredRuns))
    try {
      if (configuration.team !== undefined) await talent.prepare(configuration.team.talent)
    } catch (error) {
      log.warn('the talent of a team cannot be used; its run goes on with ours', { run: id, error })
    }
}

/** What the teams of ended runs brought is not held for ever; a store in trouble puts it off. */
export async function forgetTeamTalent(db: Db, talent: Pick<Talent, 'keepOnly'>, log: Log): Promise<void> {
  try {
    const open = await db.read(listOpenTieredRuns)
    talent.keepOnly(open.flatMap(({ configuration }) => configuration.team?.talent ?? []))
  } catch (error) {
    log.warn('whose talent is still needed could not be looked up', { error })
  }
}
