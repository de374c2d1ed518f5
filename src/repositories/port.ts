import { slug } from '../kernel/text.ts'
import type { ChangedFile } from '../work/pull-requests/contract.ts'
import type { RunRepository } from '../work/runs/contract.ts'
import type { Workspace } from '../workspaces/port.ts'

/** The engine's operations on git. Each may take seconds, and none runs inside a transaction. */
export interface Repositories {
  /** Returns the top of the repository that contains a path. */
  locate(path: string): Promise<string>
  /** Reports the state of the repository that contains a path, without touching it; refuses one that no run can work on. */
  inspect(path: string): Promise<RepositoryFacts>
  /** Inspects a repository and updates its mirror; refuses one that cannot be worked on. */
  open(path: string, branch?: string): Promise<RunRepository>
  /** Brings the work of an agent from its clone into the mirror, if it is acceptable. */
  collect(work: CollectedWork): Promise<Collected>
  /** Keeps the content of a clone that is removed, if it has any work; resolves to the commit. */
  keep(work: Omit<CollectedWork, 'allowed' | 'branch'>): Promise<string | null>
  /**
   * Merges a commit into the recorded heads of branches, at every level or at none, and moves the branches there. A
   * second call makes the same result.
   */
  merge(branch: MergedBranch): Promise<Merged>
  /**
   * Makes the commit that takes a landed result back, as `branch`, if it goes together with the newest commits of the
   * repository's branch (`base`). A conflict changes nothing.
   */
  revert(
    repository: RunRepository,
    result: { runId: string; branch: string; merged: string; base: string; message: string },
  ): Promise<Reverted>
  /** Returns the id of a commit's tree: two commits with the same files have the same tree. */
  tree(mirror: string, commit: string): Promise<string>
  /** Reports whether the mirror has a commit. */
  has(mirror: string, commit: string): Promise<boolean>
  /** Reports whether `commit` contains the history of `other`. */
  contains(mirror: string, commit: string, other: string): Promise<boolean>
  /** Refuses, with the next command, if `land` would refuse now. */
  checkLanding(repository: RunRepository, result: { runId: string; commit: string }): Promise<void>
  /** Brings a result into the operator's own repository, unless its branch has new commits. */
  land(repository: RunRepository, result: { runId: string; commit: string; message: string }): Promise<Landed>
  files(mirror: string, from: string, to: string): Promise<ChangedFile[]>
  /**
   * Lists the files that a brief itself has changed: without those that it took over unchanged from finished work of
   * others. A file that was moved is one change.
   */
  changes(
    mirror: string,
    work: { readonly from: string; readonly to: string; readonly others: FinishedWork },
  ): Promise<FileChange[]>
  /** Lists the files that git compares as binary now, so that no diff shows them, and that were text or did not exist. */
  binaries(mirror: string, from: string, to: string): Promise<BinaryChange[]>
  /** Returns the text of a file in a commit; null if there is none, or it is too large to be compared. */
  text(mirror: string, commit: string, path: string): Promise<string | null>
  /** Lists the paths of a commit. */
  paths(mirror: string, commit: string): Promise<string[]>
  /**
   * Lists the files of a commit that the clone in a workspace does not have as the commit does. Nothing of the clone's
   * repository is read, and files that the commit does not have do not count.
   */
  compare(mirror: string, commit: string, workspace: Workspace, signal?: AbortSignal): Promise<string[]>
  /** Makes a commit like another one, but with some files replaced. It belongs to no branch. */
  replaceFiles(mirror: string, commit: string, files: readonly FileReplacement[]): Promise<string>
  diff(
    mirror: string,
    from: string,
    to: string,
    options: { path?: string | undefined; maxBytes: number },
  ): Promise<{ text: string; cut: boolean }>
}

export interface RepositoryFacts {
  /** The real top level of its tree, or its directory if it is bare. */
  readonly path: string
  readonly bare: boolean
  readonly shallow: boolean
  /** The branch that is checked out; null if HEAD is detached. */
  readonly branch: string | null
  readonly commit: string
  readonly dirty: boolean
  /** One sentence for each thing that a run will not see or touch. */
  readonly warnings: readonly string[]
}

export interface CollectedWork {
  readonly repository: RunRepository
  readonly runId: string
  readonly briefId: string
  readonly attemptId: string
  readonly workspace: Workspace
  /** Its branch in the mirror. */
  readonly branch: string
  /** The commit from which its clone started: everything since then is its work. */
  readonly start: string
  /** The commit message for uncommitted files. */
  readonly message: string
  /** Rules of possible secrets that the operator has allowed. */
  readonly allowed: readonly string[]
  /** Decides about the files that it has changed itself, without finished work of `others`. */
  readonly scope?: {
    readonly others: FinishedWork
    /** Returns why they are refused, or null. */
    readonly faultOf: (changes: readonly FileChange[]) => string | null
  }
  readonly signal?: AbortSignal | undefined
}

export type Collected =
  /** `files`: created or changed files, without the deleted ones. */
  | { readonly outcome: 'collected'; readonly commit: string; readonly files: readonly string[] }
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'refused'; readonly why: string }
  /** It contains possible secrets; `rule` names each, so that the operator can allow it. */
  | { readonly outcome: 'secrets'; readonly found: readonly { readonly rule: string; readonly what: string }[] }

/** Finished work that a brief may merge into its own. It may contain earlier work of the brief itself. */
export interface FinishedWork {
  /** Refs, or their prefixes. */
  readonly refs: readonly string[]
  /** The ids under which earlier work of the brief was merged. */
  readonly ownBriefs: readonly string[]
  /** Collected commits of its earlier attempts. */
  readonly ownCommits: readonly string[]
}

export interface FileChange {
  /** Its path now, or its last one. */
  readonly path: string
  readonly status: 'added' | 'changed' | 'deleted' | 'moved'
  /** Its path before, if it was moved. */
  readonly movedFrom?: string
  /** It is a symbolic link now. */
  readonly isLink: boolean
  /** It is, or was, the link to a commit of a submodule. */
  readonly isSubmodule?: true
}

/** A file that no diff shows although it was text, or is new. */
export interface BinaryChange {
  readonly path: string
  readonly was: 'text' | 'none'
}

/** The new content of a file: that of another commit, which may lack it, a text, or null for none. */
export interface FileReplacement {
  readonly path: string
  readonly as: { readonly commit: string } | { readonly text: string } | null
}

export interface MergedBranch {
  readonly repository: RunRepository
  readonly runId: string
  readonly commit: string
  /** The chain of branches: each is merged with the result of the one before it. */
  readonly into: readonly MergedInto[]
}

export interface MergedInto {
  readonly branch: string
  /** The commit of the branch as its row records it. The merge builds on it, wherever the branch itself is. */
  readonly head: string
  readonly title: string
  /** The brief that is responsible for the merge. */
  readonly briefId: string
  /** The brief that did the work, if that is another one. */
  readonly workId?: string
}

export type Merged =
  /** `commits`: of each branch, in the order of `into`. */
  | { readonly outcome: 'merged'; readonly commits: readonly string[] }
  | { readonly outcome: 'conflict'; readonly files: readonly string[] }

export type Reverted =
  | { readonly outcome: 'reverted'; readonly commit: string }
  | { readonly outcome: 'conflict'; readonly files: readonly string[] }
  /** The branch does not contain the result any more. */
  | { readonly outcome: 'gone' }
  /** The branch has none of its changes any more. */
  | { readonly outcome: 'nothing' }

export type Landed =
  /** `from`: the commit of the target before, as far as it is known. */
  | { readonly outcome: 'landed'; readonly commit: string; readonly from: string | null }
  /** The target has moved to `target`; `commit` is the result merged with it, which has not landed. */
  | { readonly outcome: 'moved'; readonly commit: string; readonly target: string }
  /** The target has moved to this commit, and its new commits conflict with the work. */
  | { readonly outcome: 'conflict'; readonly commit: string; readonly files: readonly string[] }
  /** Another git process holds a lock in the repository; a later try may succeed. */
  | { readonly outcome: 'busy'; readonly why: string; readonly next: string }
  /** Refused for now, because the operator is working in the repository. */
  | { readonly outcome: 'refused'; readonly why: string; readonly next: string }

export const featureBranch = (runId: string, briefId: string): string => `feature/${runId}/main/${briefId}`
export const taskBranch = (runId: string, workstream: string, task: string): string =>
  `feature/${runId}/${segmentOf(workstream)}/${segmentOf(task)}`
export const workstreamBranch = (runId: string, workstream: string): string =>
  `workstream/${runId}/${segmentOf(workstream)}`
export const domainBranch = (runId: string, domain: string): string => {
  const name = segmentOf(domain)
  return `integration/${runId}/${name === 'final' ? 'final-domain' : name}`
}
export const integrationBranch = (runId: string): string => `integration/${runId}/final`

/** Names the brief that is responsible for a merge, and the one that did the work, in the merge's message. */
export const mergeTrailers = { brief: 'Agency-Brief', work: 'Agency-Work' } as const

/** Returns the lines of which one is in the message of every merge of a brief's work. */
export const trailersOf = (briefId: string): string[] =>
  Object.values(mergeTrailers).map((name) => `${name}: ${briefId}`)

/** Turns any name into a segment of a branch name. */
const segmentOf = (text: string): string => slug(text).slice(0, 80).replace(/-+$/, '') || 'unnamed'
