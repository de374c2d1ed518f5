import type { TierName } from '../team/contract.ts'
import type { TalentFields, TalentOrigin } from './contract.ts'
import type { RegistryRow } from './registry.ts'

export interface PoolEntry extends TalentFields {
  /** `engineering/sre.md`. */
  path: string
  from: TalentOrigin
  /** What its agents are told about themselves. */
  text: string
  /** Where it lies on this machine. */
  file: string
}

export interface PlacedRow extends RegistryRow {
  from: TalentOrigin
  /** The domain and its aliases, as they are compared. */
  words: readonly string[]
}

/** Everybody whom work can be cast with. A value: whoever holds one sees the same people until he asks for another. */
export interface Pool {
  entries: readonly PoolEntry[]
  /** The strongest first: of two for the same tier and domain, the first that names somebody counts. */
  rows: readonly PlacedRow[]
  defaults: readonly { tier: TierName; name: string; from: TalentOrigin }[]
  warnings: readonly string[]
  index: PoolIndex<PoolEntry>
}

/** What somebody is found by. */
export interface Findable {
  path: string
  name: string
  division: string
  from: TalentOrigin
}

/** Each way of naming somebody, the strongest first; under each name everybody who bears it. */
export type PoolIndex<Entry extends Findable> = readonly ReadonlyMap<string, readonly Entry[]>[]
