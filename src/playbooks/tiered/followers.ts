import type { Brief } from '../../work/briefs/contract.ts'
import { taskIdOf } from './tasks.ts'

export const dependenciesOf = ({ inputs }: Brief): string[] =>
  Array.isArray(inputs['depends_on']) ? (inputs['depends_on'] as string[]) : []

/** Those that wait for these, and for those in turn. */
export function followersOf(all: readonly Brief[], first: readonly Brief[]): Brief[] {
  const reached = new Set(first.map(taskIdOf))
  const found: Brief[] = []
  for (let grew = true; grew;) {
    grew = false
    for (const brief of all) {
      if (reached.has(taskIdOf(brief))) continue
      if (!dependenciesOf(brief).some((id) => reached.has(id))) continue
      reached.add(taskIdOf(brief))
      found.push(brief)
      grew = true
    }
  }
  return found
}
