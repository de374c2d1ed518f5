import type { Attempt } from '../../src/work/attempts/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Node } from '../parts/node-tree.tsx'
import type { State } from '../parts/state.tsx'
import { addresses } from '../router.tsx'
import { attemptState, briefState } from './state.ts'

/** A node of a tree of briefs; the nodes below it are built only when it is open. */
export interface Branch {
  key: string
  title: string
  state: State
  to?: string
  /** Shown when the pointer rests on it, after the title and the state. */
  hint?: string
  period?: Node['period']
  below?: () => Branch[]
  isEmpty?: boolean
  isOpen?: boolean
}

/** Reports whether a branch is open, given whether it would start open. */
export type Openness = (key: string, startsOpen: boolean) => boolean

/** Returns the visible nodes of a tree, from top to bottom. */
export function visibleNodes(root: Branch, isOpen: Openness): Node[] {
  const nodes: Node[] = []
  const walk = (branches: readonly Branch[], level: number): void =>
    branches.forEach((branch, index) => {
      const isLeaf = branch.below === undefined || branch.isEmpty === true
      const expanded = isLeaf ? null : isOpen(branch.key, branch.isOpen ?? false)
      nodes.push({
        key: branch.key,
        level,
        to: branch.to ?? null,
        title: branch.title,
        hint: branch.hint ?? null,
        state: branch.state,
        expanded,
        period: branch.period ?? null,
        position: index + 1,
        siblings: branches.length,
      })
      if (expanded === true) walk(branch.below?.() ?? [], level + 1)
    })
  walk([root], 1)
  return nodes
}

/** The attempts and verifying briefs of a run, by the brief that they belong to. */
export interface Work {
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>
  readonly verifiers: ReadonlyMap<string | null, readonly HeldBrief[]>
}

/** Builds the branch of a brief: its attempts, and the verifier of each before the next attempt. */
export function briefBranch(
  brief: HeldBrief,
  work: Work,
  { state = briefState(brief), isOpen = false }: { state?: State; isOpen?: boolean } = {},
): Branch {
  const own = work.attempts.get(brief.id) ?? []
  const verifiers = work.verifiers.get(brief.id) ?? []
  const verifier = (each: HeldBrief): Branch => briefBranch(each, work)
  return {
    key: brief.id,
    title: brief.title,
    hint: brief.key,
    state,
    to: addresses.brief(brief.runId, brief.id),
    isOpen,
    isEmpty: own.length + verifiers.length === 0,
    below: () => [
      ...own.flatMap((attempt, index) => [
        attemptBranch(attempt, index),
        ...verifiers.filter((each) => each.verifiesAttempt === index + 1).map(verifier),
      ]),
      ...verifiers.filter((each) => (each.verifiesAttempt ?? 0) > own.length).map(verifier),
    ],
  }
}

const attemptBranch = (attempt: Attempt, index: number): Branch => ({
  key: attempt.id,
  title: `attempt ${index + 1}`,
  state: attemptState(attempt),
  to: addresses.attempt(attempt.runId, attempt.briefId, attempt.id),
  period: attempt.startedAt === null ? null : { from: attempt.startedAt, to: attempt.endedAt },
})
