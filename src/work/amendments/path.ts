import { refusal } from '../../kernel/errors.ts'
import { tierNames } from '../../team/contract.ts'
import type { AmendPath } from './contract.ts'

type Change = Pick<AmendPath, 'addTiers' | 'removeTiers' | 'insertBefore'>

/** The path after a change: always in the order of the tiers, and always ending with work and its judgement. */
export function amendedPath(before: readonly string[], { addTiers, removeTiers, insertBefore }: Change): string[] {
  for (const tier of addTiers) {
    if (tier === 't1') throw refusal('invalid_input', 'add_tiers: t1 stands above every path')
    if (before.includes(tier)) throw refusal('invalid_input', `add_tiers: ${tier} is on the path already`)
    if (removeTiers.includes(tier)) throw refusal('invalid_input', `${tier} is added and removed`)
    if (insertBefore !== undefined && tier >= insertBefore)
      throw refusal('invalid_input', `insert_before: ${tier} does not come before ${insertBefore}`)
  }
  for (const tier of removeTiers)
    if (!before.includes(tier)) throw refusal('invalid_input', `remove_tiers: ${tier} is not on the path`)
  if (insertBefore !== undefined && !before.includes(insertBefore))
    throw refusal('invalid_input', `insert_before: ${insertBefore} is not on the path`)
  if (addTiers.length + removeTiers.length === 0)
    throw refusal('invalid_input', 'nothing would change: add tiers, or remove some')
  const wanted: readonly string[] = [...before, ...addTiers]
  return tierNames.filter((tier) => wanted.includes(tier) && !removeTiers.includes(tier))
}
