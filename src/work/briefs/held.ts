import type { ReadTx } from '../../db/port.ts'
import type { Run } from '../runs/contract.ts'
import { type Brief, type HeldBrief, type Hold, holdKinds, type WaitReason } from './contract.ts'
import { listHoldsOfBrief } from './store.ts'

type Waiting = Pick<Brief, 'status' | 'unmetDependencies'>
type Around = Pick<Run, 'status' | 'heldBy' | 'briefsFailed'>

/**
 * Returns the reasons why a brief waits, the most important first. Its own reasons are stored with it; the others are
 * derived when it is read, so that a gate does not write a row for each brief behind it. `beyond` is a hold from
 * outside its run, such as a stop.
 */
export function reasonsOf(
  brief: Waiting,
  own: readonly Hold[],
  run: Around,
  beyond: WaitReason | null = null,
): WaitReason[] {
  const stored = storedReasons(own)
  if (brief.status !== 'pending') return stored
  return [
    ...stored,
    ...(run.status === 'paused' ? [{ kind: 'pause' as const, subject: '' }] : []),
    ...(run.status === 'gated' && run.heldBy !== null
      ? [{ kind: 'gate' as const, subject: run.heldBy.replace(/^gate:/, '') }]
      : []),
    ...(brief.unmetDependencies > 0 ? [{ kind: 'dependencies' as const, subject: '' }] : []),
    ...(run.briefsFailed > 0 ? [{ kind: 'sibling_failed' as const, subject: '' }] : []),
    ...(beyond === null ? [] : [beyond]),
  ]
}

/** `dependency_failed:brf_1`, `pause` */
export const reasonText = ({ kind, subject }: WaitReason): string => (subject === '' ? kind : `${kind}:${subject}`)

export type Reasons = Pick<HeldBrief, 'heldBy' | 'holds'>

export const withReasons = <Row extends Brief>(brief: Row, reasons: WaitReason[]): Row & Reasons => ({
  ...brief,
  heldBy: reasons[0] === undefined ? null : reasonText(reasons[0]),
  holds: reasons,
})

/** Returns a brief with its stored reasons, where its run is not read. */
export const withOwnReasons = async (tx: ReadTx, brief: Brief): Promise<Brief & Reasons> =>
  withReasons(brief, brief.holdCount === 0 ? [] : storedReasons(await listHoldsOfBrief(tx, brief)))

const storedReasons = (own: readonly Hold[]): WaitReason[] =>
  own
    .map(({ kind, subject }) => ({ kind, subject }))
    .sort((one, other) => holdKinds.indexOf(one.kind) - holdKinds.indexOf(other.kind))
