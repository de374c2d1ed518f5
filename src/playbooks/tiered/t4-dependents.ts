import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision } from '../contract.ts'
import { taskIdOf } from './t4-tasks.ts'

export const dependenciesOf = ({ inputs }: Brief): string[] =>
  Array.isArray(inputs['depends_on']) ? (inputs['depends_on'] as string[]) : []

/** Returns the briefs that depend on these, directly or indirectly. */
export function dependentsOf(all: readonly Brief[], first: readonly Brief[]): Brief[] {
  const waiting = new Map<string, string[]>()
  for (const brief of all)
    for (const id of dependenciesOf(brief)) {
      const known = waiting.get(id)
      if (known === undefined) waiting.set(id, [taskIdOf(brief)])
      else known.push(taskIdOf(brief))
    }
  const given = new Set(first.map(taskIdOf))
  const reached = new Set(given)
  // Iterating a set also visits the items that are added during the loop.
  for (const id of reached) for (const follower of waiting.get(id) ?? []) reached.add(follower)
  return all.filter((brief) => reached.has(taskIdOf(brief)) && !given.has(taskIdOf(brief)))
}

/** Returns the finished tasks that depend on repeated ones and have to be repeated after them. */
export function invalidatedBy(members: readonly Brief[], redone: readonly Brief[]): Brief[] {
  const tasks = members.filter(({ phase, status }) => phase === 't4' && status !== 'cancelled')
  return dependentsOf(tasks, redone).filter(
    ({ status }) => status === 'ready_for_verification' || status === 'verified',
  )
}

export const sendBack = (brief: Brief): Decision => ({
  kind: 'send_back',
  brief,
  class: 'invalidated',
  reason: 'a task that it depends on is repeated',
})
