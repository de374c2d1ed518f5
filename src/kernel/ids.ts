import { type Clock, systemClock } from './clock.ts'

/** Branded ids: the compiler rejects a run's id where a brief's is expected. */
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
export type GateId = Id<'gate'>
export type QuestionId = Id<'question'>
export type NoteId = Id<'note'>
export type VerdictId = Id<'verdict'>
export type SpendId = Id<'spend'>
export type NotificationId = Id<'notification'>
export type PullRequestId = Id<'pull_request'>
export type WorkspaceId = Id<'workspace'>
export type AmendmentId = Id<'amendment'>
export type ProofId = Id<'proof'>
export type RepeatId = Id<'repeat'>
export type DecisionId = Id<'decision'>
export type OrganisationId = NumericId<'organisation'>
export type RoleId = NumericId<'role'>
export type PersonaId = NumericId<'persona'>
export type AgentId = NumericId<'agent'>

/** Rows that every installation is seeded with; actors and missions refer to them from the first migration on. */
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
  gate: 'gat_',
  question: 'qst_',
  note: 'nte_',
  verdict: 'vdt_',
  spend: 'spd_',
  notification: 'ntf_',
  pullRequest: 'prq_',
  workspace: 'wsp_',
  amendment: 'amd_',
  proof: 'prf_',
  repeat: 'rpt_',
  decision: 'dec_',
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
  gate: GateId
  question: QuestionId
  note: NoteId
  verdict: VerdictId
  spend: SpendId
  notification: NotificationId
  pullRequest: PullRequestId
  workspace: WorkspaceId
  amendment: AmendmentId
  proof: ProofId
  repeat: RepeatId
  decision: DecisionId
}

/** Source of new ids; passed as a dependency, so that a simulation can reproduce them. */
export interface Ids {
  next<Noun extends IdNoun>(noun: Noun): IdOf[Noun]
}

// Without i, l, o, u: an id is not misread aloud, and no id spells a word.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Nouns that people refer to by a prefix of the id. */
const foundByPrefix: ReadonlySet<IdNoun> = new Set(['run', 'mission'])

/**
 * Creates ids of twelve characters of five bits each. For a run or a mission all bits are random: among a million ids
 * the probability of a collision is 4 in ten million, and a short prefix identifies one. Other ids start with the
 * current second, followed by a counter with a random start, so that rows created together are close together in every
 * index: with random ids a store wrote three times as many pages.
 */
export function createIds(randomBytes: (size: number) => Uint8Array, clock: Pick<Clock, 'nowMs'> = systemClock): Ids {
  let count = 0
  for (const byte of randomBytes(6)) count = count * 32 + (byte & 31)
  return {
    next: <Noun extends IdNoun>(noun: Noun) => {
      let text: string = idPrefixes[noun]
      if (foundByPrefix.has(noun)) for (const byte of randomBytes(12)) text += alphabet[byte & 31]
      else text += sixOf(Math.floor(clock.nowMs() / 1_000) - epochSeconds) + sixOf(count++)
      return text as IdOf[Noun]
    },
  }
}

/** The start of 2020; thirty bits of seconds from there last until 2054, when ids start again from the lowest. */
const epochSeconds = 1_577_836_800

function sixOf(value: number): string {
  let text = ''
  for (let shift = 25; shift >= 0; shift -= 5) text += alphabet[(value >>> shift) & 31]
  return text
}

export const systemIds: Ids = createIds(pooledRandomBytes())

export const randomToken = (): string => {
  let text = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(32))) text += alphabet[byte & 31]
  return text
}

/** Makes one system call per 340 ids instead of one per id: the engine creates several per brief. */
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
