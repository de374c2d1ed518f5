/** Branded ids: a run's id cannot be handed to something that wants a brief's. */
declare const brand: unique symbol
type Id<Name extends string> = string & { readonly [brand]: Name }
type NumericId<Name extends string> = number & { readonly [brand]: Name }

export type RunId = Id<'run'>
export type BriefId = Id<'brief'>
export type AttemptId = Id<'attempt'>
export type MissionId = Id<'mission'>
export type ArtifactId = Id<'artifact'>
export type CheckId = Id<'check'>
export type JobId = Id<'job'>
export type OrganisationId = NumericId<'organisation'>
export type RoleId = NumericId<'role'>
export type PersonaId = NumericId<'persona'>
export type AgentId = NumericId<'agent'>

/** The seeds every installation starts with; actors and missions refer to them from the first migration on. */
export const developmentOrganisation = 1 as OrganisationId
export const operatorPersona = 1 as PersonaId
export const systemPersona = 2 as PersonaId

export const idPrefixes = {
  run: 'run_',
  brief: 'brf_',
  attempt: 'att_',
  mission: 'mis_',
  artifact: 'art_',
  check: 'chk_',
  job: 'job_',
} as const
export type IdNoun = keyof typeof idPrefixes

interface IdOf {
  run: RunId
  brief: BriefId
  attempt: AttemptId
  mission: MissionId
  artifact: ArtifactId
  check: CheckId
  job: JobId
}

/** New ids are handed in, so that a simulation can repeat them. */
export interface Ids {
  next<Noun extends IdNoun>(noun: Noun): IdOf[Noun]
}

// Without i, l, o, u: nobody misreads an id aloud, and no id spells a word.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Twelve characters of five bits: a million ids collide with a chance of 4 in ten million, and a short prefix identifies. */
export function createIds(randomBytes: (size: number) => Uint8Array): Ids {
  return {
    next: <Noun extends IdNoun>(noun: Noun) => {
      let text: string = idPrefixes[noun]
      for (const byte of randomBytes(12)) text += alphabet[byte & 31]
      return text as IdOf[Noun]
    },
  }
}

export const systemIds: Ids = createIds(pooledRandomBytes())

export const randomToken = (): string => {
  let text = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(32))) text += alphabet[byte & 31]
  return text
}

/** One call to the system for 340 ids instead of one for each: the engine makes several per brief. */
function pooledRandomBytes(): (size: number) => Uint8Array {
  const pool = new Uint8Array(4096)
  let used = pool.length
  return (size) => {
    if (used + size > pool.length) {
      crypto.getRandomValues(pool)
      used = 0
    }
    used += size
    return pool.subarray(used - size, used)
  }
}
