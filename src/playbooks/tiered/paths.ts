import { type AgencyError, refusal } from '../../kernel/errors.ts'
import { tierNames } from '../../team/contract.ts'
import type { AmendPath } from '../../work/amendments/contract.ts'
import type { Paths } from '../contract.ts'
import { workstreamPart } from './base-names.ts'
import { dataOfBrief } from './contract.ts'

/** The path of a workstream: the tiers that work on it. */
export const paths: Paths = {
  partOf: workstreamPart,
  amend: (path, begun, change) => {
    const after = amendedPath(path, change)
    checkNotBegun(begun, change)
    return after
  },
  owns: (brief, workstream) => {
    const { tier, workstream: own } = dataOfBrief(brief)
    // T1 and the lead architect plan all workstreams; those who do and judge the work have no say in its path.
    return own === null ? tier === 't1' || tier === 't2' : own === workstream && (tier === 't2' || tier === 't3')
  },
  tagsOf: (author) => ({ tier: author === 'operator' ? 'T1' : author.slice(0, 2).toUpperCase() }),
}

/** Every path needs a tier that does the work and a tier that judges it. */
const mandatory: readonly string[] = ['t4', 't5']

type Change = Pick<AmendPath, 'addTiers' | 'removeTiers' | 'insertBefore'>

/** Returns the path after a change: always in the order of the tiers, and always ending with work and its verification. */
export function amendedPath(before: readonly string[], { addTiers, removeTiers, insertBefore }: Change): string[] {
  for (const tier of addTiers) {
    if (tier === 't1') throw unfit(before, 't1 stands above every path')
    if (before.includes(tier)) throw unfit(before, `${tier} is on the path already`)
    if (removeTiers.includes(tier)) throw unfit(before, `${tier} is added and removed`)
    if (insertBefore !== undefined && tier >= insertBefore)
      throw unfit(before, `${tier} does not come before ${insertBefore}`)
  }
  for (const tier of removeTiers) {
    if (mandatory.includes(tier)) throw unfit(before, `${tier} is mandatory`)
    if (!before.includes(tier)) throw unfit(before, `${tier} is not on the path`)
  }
  if (insertBefore !== undefined && !before.includes(insertBefore))
    throw unfit(before, `${insertBefore} is not on the path`)
  if (addTiers.length + removeTiers.length === 0) throw unfit(before, 'nothing would change: add tiers, or remove some')
  const wanted: readonly string[] = [...before, ...addTiers]
  return tierNames.filter((tier) => wanted.includes(tier) && !removeTiers.includes(tier))
}

/** The wording fits the command line and the agents' tool alike. */
const unfit = (path: readonly string[], message: string): AgencyError =>
  refusal('invalid_input', message, {
    hint: `Its path is ${path.join(' → ')}; "agency inspect <run>" shows that of every workstream.`,
  })

/** Refuses every change once t4 has started, and the removal of a tier that has started. */
function checkNotBegun(begun: readonly string[], { workstream, addTiers, removeTiers }: AmendPath): void {
  const late = begun.includes('t4') ? 't4' : removeTiers.find((tier) => begun.includes(tier))
  if (late === undefined) return
  throw refusal('illegal_transition', `${late} of ${workstream} has already started`, {
    hint:
      addTiers.length > 0
        ? 'A tier can only be added before the work starts.'
        : 'A tier can only be removed before it starts.',
  })
}
