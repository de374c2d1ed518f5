import { counted } from '../../kernel/amounts.ts'
import { checkedInWarning } from '../../kernel/checked-in.ts'
import { isMet } from '../briefs/states.ts'
import { startsProcesses, type Evidence } from '../evidence/contract.ts'
import type { Proof } from '../proofs/contract.ts'
import { heldText, shortCommit } from '../proofs/wording.ts'
import type { Repeat } from '../repeats/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { Basis, Gap } from './contract.ts'
import type { CheckTally, ClaimLine, VerdictLine } from './store.ts'

/** The rows from which the standing of a run follows. */
export interface Standing {
  run: Pick<Run, 'id' | 'simulated' | 'status' | 'repository' | 'head'>
  /** The commit that was merged into the target; null: none was. */
  merged: string | null
  lines: readonly ClaimLine[]
  tallies: readonly CheckTally[]
  verdicts: readonly VerdictLine[]
  unsettled: readonly string[]
  cancelled: readonly string[]
  /** The oldest first. */
  proofs: readonly Proof[]
  /** The newest one, if there is any. */
  repeat: Repeat | undefined
}

export interface Stated {
  statement: string
  isProven: boolean
  gaps: Gap[]
  basisOf: (briefId: string) => Basis
  boxed: boolean | null
}

/** States what is proven of a run and what is not. */
export function stateStanding(standing: Standing): Stated {
  const bases = basesOf(standing)
  const gaps = findGaps(standing, bases)
  const proven = provenText(standing, bases)
  return {
    statement: [
      `${proven === null ? 'Nothing is proven.' : `Proven: ${proven}.`}`,
      gaps.length === 0 ? '' : `Not proven: ${gaps.map(({ text }) => text).join('; ')}.`,
    ]
      .filter(Boolean)
      .join(' '),
    isProven: proven !== null && gaps.length === 0,
    gaps,
    basisOf: (briefId) => bases.get(briefId) ?? 'open',
    boxed: wasBoxed(standing),
  }
}

function basesOf({ lines, tallies, verdicts }: Standing): Map<string, Basis> {
  const delivered = Map.groupBy(
    tallies.filter(({ round }) => round === 'delivered'),
    ({ attemptId }) => attemptId,
  )
  const passed = new Set(
    verdicts.filter(({ verdict }) => verdict === 'pass').map(({ briefId, attempt }) => `${briefId} ${attempt}`),
  )
  return new Map(
    lines.map(({ briefId, status, checkable, attemptId, fence }) => {
      if (!isMet(status)) return [briefId, 'open']
      const own = delivered.get(attemptId ?? '') ?? []
      const isChecked = checkable && own.length > 0 && own.every((each) => each.passed)
      const isJudged = passed.has(`${briefId} ${fence}`)
      if (isChecked) return [briefId, isJudged ? 'both' : 'checked']
      return [briefId, isJudged ? 'judged' : 'neither']
    }),
  )
}

/** Returns null if nothing is proven. */
function provenText(standing: Standing, bases: ReadonlyMap<string, Basis>): string | null {
  const { lines } = standing
  const proof = decisiveProof(standing)
  if (proof?.status === 'passed' && proof.findings.length > 0)
    return heldText(proof).replace(/\.$/, '').replace(/^E/, 'e')
  const checked = lines.filter(({ briefId }) => ['checked', 'both'].includes(bases.get(briefId) ?? ''))
  if (checked.length === 0) return null
  const ids = new Set(checked.map(({ attemptId }) => attemptId))
  const held = standing.tallies
    .filter(({ attemptId, round, passed }) => ids.has(attemptId) && round === 'delivered' && passed)
    .reduce((sum, { count }) => sum + count, 0)
  return `${counted(held, 'item')} of evidence held for ${checked.length} of ${counted(lines.length, 'claim')}, each brief by itself`
}

/** Returns the newest proof of the commit that was merged, or would be. */
const decisiveProof = ({ proofs, merged, run }: Standing): Proof | undefined =>
  proofs.findLast(({ head, status }) => status !== 'cancelled' && head === (merged ?? run.head))

function findGaps(standing: Standing, bases: ReadonlyMap<string, Basis>): Gap[] {
  const { run, lines, tallies, unsettled, cancelled } = standing
  const keyOf = new Map(lines.flatMap(({ attemptId, key }) => (attemptId === null ? [] : [[attemptId, key] as const])))
  const keysWith = (basis: Basis): string[] =>
    lines.filter(({ briefId }) => bases.get(briefId) === basis).map(({ key }) => key)
  const where = (isMeant: (tally: CheckTally) => boolean): string[] => [
    ...new Set(tallies.filter(isMeant).flatMap(({ attemptId }) => keyOf.get(attemptId) ?? [])),
  ]
  const those = (isMeant: (line: ClaimLine) => boolean): string[] => lines.filter(isMeant).map(({ key }) => key)
  const about = (keys: readonly string[], text: (count: string) => string): Gap[] =>
    keys.length === 0 ? [] : [{ text: text(counted(keys.length, 'brief')), briefs: keys.slice(0, 20) }]
  const partly = where(({ round, passed }) => round === 'delivered' && !passed)
  const looked = where(({ round }) => round === 'delivered')
  // Its operator gave evidence, which proves nothing about the work. One item that did not hold before does.
  const differed = where(({ round, passed }) => round === 'before' && !passed)
  const heldBefore = where(({ round, passed }) => round === 'before' && passed).filter((key) => !differed.includes(key))
  const [neither, judged] = [keysWith('neither'), keysWith('judged')]
  const whole = (key: string): boolean => looked.includes(key) && !partly.includes(key)
  return [
    ...(run.simulated ? [{ text: 'the run is simulated: no agent did this work', briefs: [] }] : []),
    ...resultGaps(standing),
    ...about(keysWith('open'), (count) => `${count} not finished`),
    ...about(cancelled, (count) => `${count} cancelled`),
    ...about(
      neither.filter((key) => !looked.includes(key)),
      (count) => `${count} neither checked nor judged`,
    ),
    ...about(
      neither.filter((key) => whole(key) && !heldBefore.includes(key)),
      (count) => `${count} not judged, and checked only by evidence that is not the operator’s`,
    ),
    ...about(
      neither.filter((key) => whole(key) && heldBefore.includes(key)),
      (count) => `${count} not judged`,
    ),
    ...about(
      neither.filter((key) => partly.includes(key)),
      (count) => `${count} not judged, and only a part of the evidence held`,
    ),
    ...about(
      judged.filter((key) => partly.includes(key)),
      (count) => `${count} judged by a verifier, and only a part of the evidence held`,
    ),
    ...about(
      judged.filter((key) => !partly.includes(key) && !heldBefore.includes(key)),
      (count) => `${count} judged by a verifier, without evidence of the operator`,
    ),
    ...about(
      where(({ round, passed }) => round === 'again' && !passed),
      (count) => `evidence of ${count} failed when it was checked a second time`,
    ),
    ...about(
      where(({ round, passed }) => round === 'base_witnesses' && !passed),
      (count) => `evidence of ${count} holds only with the agent’s own tests or scripts`,
    ),
    ...about(heldBefore, (count) => `evidence of ${count} held before the work began`),
    ...about(
      those(({ odd }) => odd !== null && odd.length > 0),
      (count) => `${count} with odd changes, which may weaken a proof`,
    ),
    ...about(
      those(({ odd }) => odd?.some(({ kind }) => kind === 'prepared') === true),
      (count) => `evidence of ${count} holds only in a place that other code of the work prepares`,
    ),
    ...about(
      those(({ odd }) => odd?.some(({ kind }) => kind === 'submodule') === true),
      (count) => `${count} with changed submodules, whose files were not checked`,
    ),
    ...about(
      those(({ odd }) => odd?.some(({ kind }) => kind === 'unopened') === true),
      (count) => `${count} with changed files that no verifier has opened`,
    ),
    ...about(
      those(({ contradiction }) => contradiction !== null),
      (count) => `${count} with reports that contradict each other`,
    ),
    ...about(
      those(({ checkedIn }) => checkedInWarning(checkedIn) !== null),
      (count) => `${count} checked where more than the commit was at hand`,
    ),
    ...about(where(ranUnboxed), (count) => `commands of ${count} ran outside any box`),
    ...about(unsettled, (count) => `${count} with notes that are not settled`),
  ]
}

/** Says in which way the whole result is not proven. */
function resultGaps(standing: Standing): Gap[] {
  const { run, merged, repeat } = standing
  if (run.repository === null) return []
  const commit = merged ?? run.head
  const texts =
    commit === null || commit === run.repository.base
      ? ['nothing was merged']
      : [
          resultText(decisiveProof(standing), `the merged result ${shortCommit(commit)}`),
          repeat?.commitId === commit && repeat.status === 'failed'
            ? `it did not hold when it was checked again on ${dayOf(repeat)}`
            : null,
        ]
  return texts.flatMap((text) => (text === null ? [] : [{ text, briefs: [] }]))
}

/** Returns null for a result that is proven. */
function resultText(proof: Proof | undefined, name: string): string | null {
  if (proof === undefined) return `${name} was not checked as a whole`
  switch (proof.status) {
    case 'passed':
      return proof.findings.length === 0 ? `${name} was not checked as a whole` : null
    case 'failed':
      return proof.detail ?? `${name} does not hold`
    case 'waiting':
      return `${name} is being checked`
    case 'unchecked':
    case 'cancelled':
      return `${name} could not be checked: ${proof.detail ?? ''}`
  }
}

const dayOf = ({ endedAt, createdAt }: Repeat): string => (endedAt ?? createdAt).slice(0, 10)

/** A check that did not run had no box either; only one that holds supports the proof. */
const ranUnboxed = ({ kind, boxed, passed }: CheckTally): boolean =>
  startsProcesses(kind as Evidence['kind']) && passed && !boxed

function wasBoxed({ lines, tallies }: Standing): boolean | null {
  const agents = lines.flatMap(({ boxed }) => (boxed === null ? [] : [boxed]))
  const commands = tallies
    .filter(({ kind, passed }) => startsProcesses(kind as Evidence['kind']) && passed)
    .map(({ boxed }) => boxed)
  const all = [...agents, ...commands]
  return all.length === 0 ? null : all.every(Boolean)
}
