import type { Decision, Needs, View } from '../contract.ts'
import { squadNames } from './base-names.ts'
import { dataOf, ended, own, type SquadData, unsettled } from './base-state.ts'
import { log } from './base-steps.ts'

const isDone = (view: View): boolean => unsettled(view, 't4', ended) === 0

export const finishNeeds = (view: View): Needs => {
  const workstream = view.parts[1]
  if (!isDone(view) || workstream === undefined) return {}
  const { mesh } = dataOf<SquadData>(own(view))
  return { countBelow: [workstream.key], ...(mesh === null ? {} : { parts: [mesh] }) }
}

/** Reports whether the squad's tasks are still being planned: more may come, and their release decides whether any are left. */
function isPlanning(view: View): boolean {
  const { mesh } = dataOf<SquadData>(own(view))
  return mesh !== null && view.found.parts[mesh]?.status === 'open'
}

/** Completes a squad whose last task is verified; the last squad of a workstream starts the merge of its branch. */
export function finishSquad(view: View): readonly Decision[] {
  const [squad, workstream] = [own(view), view.parts[1]]
  if (!isDone(view) || squad.status !== 'open' || workstream === undefined || isPlanning(view)) return []
  const { workstream: id, squad: name } = squadNames(squad.key)
  const { open = 0, waiting = 0 } = view.found.countBelow[workstream.key] ?? {}
  return [
    log({ tier: 'T3', level: 'verbose', workstream: id, message: `squad ${id}/${name} is done` }, [
      { key: squad.key, status: 'done' },
    ]),
    // This squad still counts as open.
    ...(open + waiting > 1 ? [] : [{ kind: 'merge_part', part: workstream.key } satisfies Decision]),
  ]
}
