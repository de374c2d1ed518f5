import { notFound, refusal } from '../../../kernel/errors.ts'
import { shorten } from '../../../kernel/text.ts'
import { checkPlan } from '../../briefs/create.ts'
import type { RunScope } from '../../scope.ts'
import type { PlanChanges } from '../contract.ts'
import { type CurrentPlan, hasBegun } from './current.ts'

const maxBriefs = 10_000

/** Refuses changes that cannot be made, before anything is changed: they are applied together or not at all. */
export function checkChanges({ run }: Pick<RunScope, 'run'>, current: CurrentPlan, changes: PlanChanges): void {
  const { add, change, remove } = changes
  if (add.length + change.length + remove.length === 0)
    throw refusal('invalid_input', 'the amended plan is the same as the current one', {
      hint: `"agency inspect ${run.id}" lists the briefs of the run.`,
    })
  refuseTwice([...add, ...change].map(({ key }) => key).concat(remove))
  for (const { key } of add) refuseTaken(current, key)
  const named = [...change.map(({ key }) => key), ...remove]
  for (const key of named) if (!current.briefs.has(key)) throw unknown(current, key)
  refuseBegun(current, named)
  refuseDeadEnds(current, changes)
  const target = targetOf(current, changes)
  if (target.length === 0)
    throw refusal('invalid_input', 'the amended plan has no briefs', {
      hint: `End the run instead: agency cancel ${run.id}`,
    })
  if (target.length > maxBriefs)
    throw refusal('too_large', `the amended plan has ${target.length} briefs; the limit is ${maxBriefs}`)
  checkPlan(target)
}

/** Returns the keys and dependencies of the plan after the changes. */
function targetOf(current: CurrentPlan, { add, change, remove }: PlanChanges) {
  const afterOf = new Map(change.map(({ key, after }) => [key, after]))
  const gone = new Set(remove)
  const kept = [...current.briefs].flatMap(([key, { after }]) =>
    gone.has(key) ? [] : [{ key, objective: '', after: [...(afterOf.get(key) ?? after)] }],
  )
  return [...kept, ...add]
}

function refuseTwice(keys: readonly string[]): void {
  const seen = new Set<string>()
  const twice = keys.find((key) => seen.size === seen.add(key).size)
  if (twice !== undefined) throw refusal('invalid_input', `brief "${twice}" is named twice by the amendment`)
}

function refuseTaken(current: CurrentPlan, key: string): void {
  const other = current.briefs.get(key)?.brief ?? current.others.get(key)
  if (other === undefined) return
  throw refusal(
    'conflict',
    other.status === 'cancelled'
      ? `the key "${key}" belongs to a cancelled brief of this run`
      : `the run has a brief "${key}" already`,
    { hint: 'Give the new brief another key, or leave it out of the plan.', data: { key } },
  )
}

function unknown(current: CurrentPlan, key: string) {
  const known = [...current.briefs.keys()].slice(0, 20).join(', ')
  return notFound('brief of the plan', shorten(key, 64), known === '' ? undefined : `There are: ${known}.`)
}

function refuseBegun(current: CurrentPlan, keys: readonly string[]): void {
  const begun = keys.flatMap((key) => {
    const brief = current.briefs.get(key)?.brief
    return brief !== undefined && hasBegun(brief) ? [brief] : []
  })
  if (begun.length === 0) return
  const list = begun.map(({ key, status }) => `${key} (${status === 'pending' ? 'to be tried again' : status})`)
  const subject = begun.length === 1 ? 'this brief has begun' : 'these briefs have begun'
  throw refusal('illegal_transition', `${subject} and cannot be changed: ${shorten(list.join(', '), 500)}`, {
    hint: 'Leave them in the plan as they are; nothing was changed.',
    data: { keys: begun.map(({ key }) => key).slice(0, 100) },
  })
}

/** Refuses new dependencies on briefs that will not be done. */
function refuseDeadEnds(current: CurrentPlan, { add, change }: PlanChanges): void {
  for (const { key, after = [] } of [...add, ...change]) {
    const before = current.briefs.get(key)?.after ?? []
    for (const name of after) {
      if (before.includes(name)) continue
      const status = (current.briefs.get(name)?.brief ?? current.others.get(name))?.status
      if (status !== 'cancelled' && status !== 'failed') continue
      throw refusal(
        'invalid_input',
        `brief "${key}" would wait for "${name}", which ${status === 'failed' ? 'has failed' : 'is cancelled'}`,
        {
          hint: 'Remove that name from its "after".',
          data: { key, after: name },
        },
      )
    }
  }
}
