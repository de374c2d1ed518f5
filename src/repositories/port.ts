import { slug } from '../kernel/text.ts'
import type { ChangedFile } from '../work/pull-requests/contract.ts'
import type { RunRepository } from '../work/runs/contract.ts'
import type { Workspace } from '../workspaces/port.ts'

/** What the engine asks of git. Everything here may take seconds, and none of it happens inside a transaction. */
export interface Repositories {
  /** Looks at a repository and brings our mirror of it up to date; refuses what cannot be worked on. */
  open(path: string, branch?: string): Promise<RunRepository>
  /** What an agent has left in its clone, brought into the mirror if it may be there. */
  collect(work: CollectedWork): Promise<Collected>
  /** Keeps what is in a clone that goes, if there is more than its beginning; resolves to the commit. */
  keep(work: Omit<CollectedWork, 'allowed' | 'branch'>): Promise<string | null>
  /** Joins a branch with what was merged before, at every level or at none. The second time, nothing is left to do. */
  merge(branch: MergedBranch): Promise<Merged>
  /** Whether everything of one commit is in another. */
  contains(mirror: string, commit: string, other: string): Promise<boolean>
  /** Refuses, with the next command, what `land` would refuse now. */
  checkLanding(repository: RunRepository, result: { runId: string; commit: string }): Promise<void>
  /** Brings a result into the operator's own repository. */
  land(repository: RunRepository, result: { runId: string; commit: string; message: string }): Promise<Landed>
  files(mirror: string, from: string, to: string): Promise<ChangedFile[]>
  diff(
    mirror: string,
    from: string,
    to: string,
    options: { path?: string | undefined; maxBytes: number },
  ): Promise<{ text: string; cut: boolean }>
}

export interface CollectedWork {
  readonly repository: RunRepository
  readonly runId: string
  readonly briefId: string
  readonly attemptId: string
  readonly workspace: Workspace
  /** Where it goes in the mirror. */
  readonly branch: string
  /** Where its clone began: what it made since then is its work. */
  readonly start: string
  /** For what it left uncommitted. */
  readonly message: string
  /** Rules of what looked like a secret and the operator has let pass. */
  readonly allowed: readonly string[]
}

export type Collected =
  /** `files`: those that it made or changed, as far as they are still there. */
  | { readonly outcome: 'collected'; readonly commit: string; readonly files: readonly string[] }
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'refused'; readonly why: string }
  /** It holds what looks like secrets; `rule` names each so that the operator can let it pass. */
  | { readonly outcome: 'secrets'; readonly found: readonly { readonly rule: string; readonly what: string }[] }

export interface MergedBranch {
  readonly repository: RunRepository
  readonly runId: string
  readonly commit: string
  /** From one branch to the next, each joined with what the one before it came to. */
  readonly into: readonly MergedInto[]
}

export interface MergedInto {
  readonly branch: string
  /** Where the branch begins if it is not there yet. */
  readonly begin: string
  readonly title: string
  /** Of whoever answers for it. */
  readonly briefId: string
  /** Whose work it is, where that is somebody else. */
  readonly workId?: string
}

export type Merged =
  | { readonly outcome: 'merged'; readonly commit: string }
  | { readonly outcome: 'conflict'; readonly files: readonly string[] }

export type Landed =
  | { readonly outcome: 'landed'; readonly commit: string }
  /** The target has moved on, to this commit, and what is new there does not go together with the work. */
  | { readonly outcome: 'conflict'; readonly commit: string; readonly files: readonly string[] }
  /** For now: somebody works in that repository. */
  | { readonly outcome: 'refused'; readonly why: string; readonly next: string }

export const featureBranch = (runId: string, briefId: string): string => `feature/${runId}/main/${briefId}`
export const taskBranch = (runId: string, workstream: string, task: string): string =>
  `feature/${runId}/${nameIn(workstream)}/${nameIn(task)}`
export const workstreamBranch = (runId: string, workstream: string): string =>
  `workstream/${runId}/${nameIn(workstream)}`
export const domainBranch = (runId: string, domain: string): string => {
  const name = nameIn(domain)
  return `integration/${runId}/${name === 'final' ? 'final-domain' : name}`
}
export const integrationBranch = (runId: string): string => `integration/${runId}/final`

/** Whatever somebody has called it, as a part of a branch's name. */
const nameIn = (text: string): string => slug(text).slice(0, 80).replace(/-+$/, '') || 'unnamed'
