import { playbooks } from '../../src/compose.ts'
import type { Playbook, PlaybookEvent } from '../../src/playbooks/contract.ts'
import type { Random } from './random.ts'
import { playbookFault } from './simulated-errors.ts'
import type { World } from './world.ts'

/** Returns the playbooks with faults: they throw now and then, or about one kind of event until the diligent phase. */
export function faultyPlaybooks(world: World, random: Random): Playbook[] {
  const { playbookFault: rate, playbookGrudge } = world.rates
  const hated = playbookGrudge === 0 ? null : world.random.about('grudge').pick(kinds)
  const isFaulty = ({ kind }: PlaybookEvent): boolean =>
    (kind === hated && world.phase !== 'diligent') || (world.phase === 'busy' && random.chance(rate))
  return [...playbooks.values()].map((playbook) => ({
    ...playbook,
    ...(world.workerRates.unclaimable === 0 ? {} : { caps: claimable(world, playbook) }),
    decide: (view, event) => {
      if (!isFaulty(event)) return playbook.decide(view, event)
      world.fault('playbook throws')
      throw new Error(playbookFault)
    },
  }))
}

/** Makes some runs impossible to claim until the busy phase ends: the playbook throws about their limits. */
const claimable =
  (world: World, playbook: Playbook): NonNullable<Playbook['caps']> =>
  (run) => {
    if (world.phase === 'busy' && isUnclaimable(world, run)) {
      world.fault('run that cannot be claimed')
      throw new Error(playbookFault)
    }
    return playbook.caps?.(run) ?? null
  }

const isUnclaimable = ({ random, workerRates }: World, { goalAnchor }: { goalAnchor: string }): boolean =>
  random.about(`unclaimable ${goalAnchor}`).chance(workerRates.unclaimable)

/** Without the events of a new run and of an ended planner: nothing would happen after them. */
const kinds: readonly PlaybookEvent['kind'][] = [
  'brief_reported',
  'brief_verified',
  'brief_failed',
  'gate_approved',
  'gate_rejected',
]
