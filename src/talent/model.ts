import type { TierName } from '../team/contract.ts'
import type { TalentFields, TalentOrigin } from './contract.ts'
import type { RegistryRow } from './registry.ts'

export interface PoolEntry extends TalentFields {
  /** Such as `engineering/sre.md`. */
  path: string
  from: TalentOrigin
  /** The personality text that its agents receive. */
  text: string
  /** The absolute path on this machine. */
  file: string
}

export interface PoolRow extends RegistryRow {
  from: TalentOrigin
  /** The domain and its aliases, normalised for comparison. */
  words: readonly string[]
}

/**
 * All personalities that work can be cast with. An immutable snapshot: its holder sees the same entries until it
 * requests a new one.
 */
export interface Pool {
  entries: readonly PoolEntry[]
  /** The strongest first: of two rows for the same tier and domain, the first one whose name resolves counts. */
  rows: readonly PoolRow[]
  defaults: readonly { tier: TierName; name: string; from: TalentOrigin }[]
  warnings: readonly string[]
  index: PoolIndex<PoolEntry>
}

/** The fields by which a personality is found. */
export interface Findable {
  path: string
  name: string
  division: string
  from: TalentOrigin
}

/** One map per kind of name, the strongest kind first; under each name all entries that have it. */
export type PoolIndex<Entry extends Findable> = readonly ReadonlyMap<string, readonly Entry[]>[]
