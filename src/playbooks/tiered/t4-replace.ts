import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, View } from '../contract.ts'
import type { Task } from './contract.ts'
import { escalationsOf } from './escalate-ladder.ts'
import { squadNames } from './base-names.ts'
import { changed, changedRun, dataOf, own, type SquadData, unaskedOf } from './base-state.ts'
import { log } from './base-steps.ts'
import { dependenciesOf, invalidatedBy, sendBack } from './t4-dependents.ts'
import { keysOf, taskBriefs, taskIdOf } from './t4-tasks.ts'

/** Replaces tasks by others; a dependent of a replaced task then waits for all new ones. */
export function replaceTasks(
  view: View,
  stuck: readonly Brief[],
  tasks: readonly Task[],
  by: string,
  reason: string,
): readonly Decision[] {
  const squad = own(view)
  const { workstream, squad: name } = squadNames(squad.key)
  const { workers, path } = dataOf<SquadData>(squad)
  const members = view.found.members[squad.key] ?? []
  const gone = new Set(stuck.map(({ id }) => id))
  const again = invalidatedBy(members, stuck)
  const left = members.map((each) => {
    if (gone.has(each.id)) return { ...each, status: 'cancelled' as const }
    return again.includes(each) ? { ...each, status: 'pending' as const } : each
  })
  const first = stuck[0] as Brief
  const of = { workstream, squad: name, path, domain: String(first.inputs['domain'] ?? ''), ownerId: first.ownerId }
  const named = keysOf(of, tasks, left)
  const escalations = Math.max(...stuck.map(escalationsOf)) + 1
  return [
    { kind: 'cancel_briefs', briefs: stuck, reason: shorten(reason, 300), by },
    log(
      {
        tier: 'T4',
        workstream,
        by,
        message: `${stuck.map(taskIdOf).join(', ')} → ${counted(tasks.length, 'other task')}`,
      },
      [
        changed<SquadData>(squad, { workers: workers + tasks.length }),
        changedRun(view, { unasked: unaskedOf(view) + furtherTasks(stuck, tasks) }),
      ],
    ),
    ...(tasks.length === 0
      ? []
      : [
          {
            kind: 'add_briefs',
            briefs: taskBriefs(view, of, tasks, named, { workers, status: 'pending', replaces: first.id }).map(
              (each) => ({
                ...each,
                inputs: { ...each.inputs, escalations },
              }),
            ),
          } satisfies Decision,
        ]),
    ...again.map(sendBack),
    ...redirect(
      left,
      stuck,
      tasks.map(({ id }) => id),
      named,
    ),
  ]
}

/** Returns the number of tasks that a replacement adds. Tasks that it saves are no credit for a later one. */
export const furtherTasks = (stuck: readonly Brief[], tasks: readonly Task[]): number =>
  Math.max(0, tasks.length - stuck.length)

/** Redirects briefs that have not started and waited for removed ones: dependents, and remainders of partial work. */
export function redirect(
  members: readonly Brief[],
  gone: readonly Brief[],
  instead: readonly string[],
  named: ReadonlyMap<string, string>,
): Decision[] {
  const lost = new Set(gone.map(taskIdOf))
  const isRest = ({ key }: Brief): boolean => gone.some((each) => key.startsWith(`${each.key}:rest:`))
  return members
    .filter((brief) => brief.phase === 't4' && ['pending', 'draft', 'committed'].includes(brief.status))
    .filter((brief) => isRest(brief) || dependenciesOf(brief).some((id) => lost.has(id)))
    .map((brief): Decision => {
      const kept = dependenciesOf(brief).filter((id) => !lost.has(id) && id !== taskIdOf(brief))
      const after = [...new Set([...kept, ...instead])]
      return {
        kind: 'amend_brief',
        brief,
        inputs: { depends_on: after },
        after: after.flatMap((id) => named.get(id) ?? []),
      }
    })
}
