import type { World } from '../world.ts'
import { hasEndedBrief, holdsOf, nameOf } from './brief.ts'

/** Checks that the number of holds is right, that an ended brief has none, and that each names a cause that exists. */
export function inspectHolds(world: World): void {
  world.history.inspect((runIds, history) => {
    for (const runId of runIds)
      for (const brief of history.of('briefs', runId)) {
        const holds = holdsOf(history, brief)
        const refuse = (why: string): void => history.fail('holds are a set', `${nameOf(brief)} ${why}`)
        if (brief['hold_count'] !== holds.length) refuse(`counts ${brief['hold_count']} holds of ${holds.join(', ')}`)
        if (hasEndedBrief(brief) && holds.length > 0) refuse(`is ${brief['status']} and held by ${holds.join(', ')}`)
        for (const hold of holds) {
          const [kind, subject = ''] = hold.split(/:(.*)/s)
          const cause = kind === 'dependency_failed' ? history.row('briefs', subject)?.['status'] : undefined
          if (cause !== undefined && cause !== 'failed' && cause !== 'cancelled')
            refuse(`is held by ${subject}, which is ${cause as string}`)
        }
      }
  })
}
