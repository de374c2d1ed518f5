import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision } from '../contract.ts'
import { taskIdOf } from './t4-tasks.ts'

export const dependenciesOf = ({ inputs }: Brief): string[] =>
  Array.isArray(inputs['depends_on']) ? (inputs['depends_on'] as string[]) : []

/** Those that wait for these, and for those in turn. */
export function followersOf(all: readonly Brief[], first: readonly Brief[]): Brief[] {
  const waiting = new Map<string, string[]>()
  for (const brief of all)
    for (const id of dependenciesOf(brief)) {
      const known = waiting.get(id)
      if (known === undefined) waiting.set(id, [taskIdOf(brief)])
      else known.push(taskIdOf(brief))
    }
  const given = new Set(first.map(taskIdOf))
  const reached = new Set(given)
  // A set goes on to what is added to it meanwhile.
  for (const id of reached) for (const follower of waiting.get(id) ?? []) reached.add(follower)
  return all.filter((brief) => reached.has(taskIdOf(brief)) && !given.has(taskIdOf(brief)))
}

/** What was finished on top of these is done again after them. */
export function invalidated(members: readonly Brief[], redone: readonly Brief[]): Brief[] {
  const tasks = members.filter(({ phase, status }) => phase === 't4' && status !== 'cancelled')
  return followersOf(tasks, redone).filter(({ status }) => status === 'ready_for_verification' || status === 'verified')
}

export const sentBack = (brief: Brief): Decision => ({
  kind: 'send_back',
  brief,
  class: 'invalidated',
  reason: 'what it was built on is done again',
})
