import type { Decision, Needs, View } from '../contract.ts'
import { squadNames } from './base-names.ts'
import { dataOf, ended, own, type SquadData, unsettled } from './base-state.ts'
import { tell } from './base-steps.ts'

const isDone = ({ tally }: View): boolean => unsettled(tally, 't4', ended) === 0

export const doneNeeds = (view: View): Needs => {
  const workstream = view.parts[1]
  if (!isDone(view) || workstream === undefined) return {}
  const { mesh } = dataOf<SquadData>(own(view))
  return { countBelow: [workstream.key], ...(mesh === null ? {} : { parts: [mesh] }) }
}

/** Its tasks are not agreed on yet: there may be others, and whoever releases them sees whether any are left. */
function isPlanning(view: View): boolean {
  const { mesh } = dataOf<SquadData>(own(view))
  return mesh !== null && view.found.parts[mesh]?.status === 'open'
}

/** Its last task is verified; the last squad of a workstream lets that be joined with the rest. */
export function squadDone(view: View): readonly Decision[] {
  const [squad, workstream] = [own(view), view.parts[1]]
  if (!isDone(view) || squad.status !== 'open' || workstream === undefined || isPlanning(view)) return []
  const { workstream: id, squad: name } = squadNames(squad.key)
  const { open = 0, waiting = 0 } = view.found.countBelow[workstream.key] ?? {}
  return [
    tell({ tier: 'T3', level: 'verbose', workstream: id, message: `squad ${id}/${name} is done` }, [
      { key: squad.key, status: 'done' },
    ]),
    // Itself is still counted as open.
    ...(open + waiting > 1 ? [] : [{ kind: 'merge_part', part: workstream.key } satisfies Decision]),
  ]
}
