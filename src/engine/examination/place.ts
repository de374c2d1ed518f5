import { branchOf } from '../../work/briefs/branches.ts'
import { type Evidence, type Odd, startsProcesses } from '../../work/evidence/contract.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import { type Checks, resolveChecks } from '../../work/repository-settings/resolve.ts'
import { findRepositorySettings } from '../../work/repository-settings/store.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Checkout, CheckoutRequest, CheckoutSource, Workspace } from '../../workspaces/port.ts'
import type { Claimed } from '../attempt/start.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { checkEvidence } from '../evidence/check.ts'
import { openFiles } from '../evidence/files.ts'
import type { KeepOutputs } from '../evidence/keep-outputs.ts'
import { createHostCheckout, type HostCheckout } from '../evidence/host.ts'
import type { CollectedEnd } from './collect.ts'
import { createSetupWatch } from './watch-setup.ts'

/** Work whose evidence is to be checked. */
export interface WorkToCheck {
  readonly claimed: Claimed
  /** Paths of the reported outputs. */
  readonly outputs: readonly string[]
  readonly signal: AbortSignal
}

export interface FinishedWork extends WorkToCheck {
  readonly workspace: Workspace
  readonly collected: CollectedEnd
  readonly keep: KeepOutputs
}

/** A place of its own for checks, as the settings of the repository want it. */
export interface Place {
  readonly request: CheckoutRequest
  readonly checkout: Checkout
  /** Where files are looked at. */
  readonly files: Checkout
  /** Opens a further place like the checkout, for one command. */
  readonly another: () => Promise<Checkout>
  /** Commands that run outside any box. */
  readonly host: HostCheckout | null
  /** Describes setups that have changed files of the commit. */
  readonly oddSetups: () => Odd[]
  remove(): Promise<void>
}

/** Where and how the work was checked, for further rounds. */
export interface Scene {
  readonly checks: Checks
  readonly source: CheckoutSource
  /** The time for the checkout, its setup and the checks. */
  readonly tookMs: number
}

/**
 * Commands run again only if the checkout, its setup and all checks took at most this long together. The second look then
 * adds at most as much, 5 s, while a check of 10 s or more pays nothing.
 */
const cheapMs = 5_000

export const isCheap = ({ tookMs }: Scene): boolean => tookMs <= cheapMs

/** The settings of the repository as they are now: an answer may have changed them since the run began. */
export async function checksOf({ db, hostChecks }: EngineDeps, run: Run): Promise<Checks> {
  const path = run.repository?.path
  const settings = path === undefined ? undefined : await db.read((tx) => findRepositorySettings(tx, path))
  return resolveChecks(run, settings, path === undefined ? null : (hostChecks?.get(path) ?? null))
}

/** Returns null if the files can be read where they are: they belong to no repository, and nothing is run. */
export function sourceOf(
  deps: EngineDeps,
  { run, brief }: Claimed,
  collected: string | null,
  checks: Checks,
): CheckoutSource | null {
  const { repository } = run
  // A verifier started with the judged commit, in which nobody changes anything.
  if (repository !== null && brief.kind !== 'plan' && brief.startCommit !== null) {
    const commit = collected ?? brief.startCommit
    if (checks.place === 'workspace' && brief.kind === 'work')
      return { kind: 'workspace', workspace: workspaceRequest(deps, run, brief), commit }
    const { mirror } = repository
    const paths = checks.paths.length === 0 ? {} : { paths: checks.paths }
    return { kind: 'commit', mirror, branch: branchOf(run, brief), commit, ...paths }
  }
  if (!brief.evidence.some(({ kind }) => startsProcesses(kind))) return null
  return { kind: 'workspace', workspace: workspaceRequest(deps, run, brief), commit: null }
}

/** Returns the same source at another commit; in a copy of the agent's workspace, files of the first one are replaced. */
export function atCommit(source: CheckoutSource, commit: string): CheckoutSource {
  if (source.kind === 'commit') return { ...source, commit }
  const { clone } = source.workspace
  if (source.commit === null || clone === undefined || clone === null) return { ...source, commit }
  return { ...source, commit, workspace: { ...source.workspace, clone: { ...clone, start: source.commit } } }
}

export const commonOf = (deps: EngineDeps, { claimed, outputs, signal }: WorkToCheck) => ({
  evidence: claimed.brief.evidence,
  outputs,
  since: claimed.run.repository === null ? null : claimed.brief.startCommit,
  clock: deps.clock,
  ourPorts: deps.ourPorts?.() ?? [],
  signal,
})

export const commandsIn = (deps: EngineDeps, { claimed: { brief } }: WorkToCheck, checkout: Checkout) => ({
  workspace: checkout,
  mayRunCommands: checkout.boxed || (deps.runtimes.get(brief.runtime)?.capabilities.evidenceUnboxed ?? false),
  setUp: checkout.setUp,
})

export const requestOf = (
  deps: EngineDeps,
  { claimed: { run, brief, attempt }, signal }: WorkToCheck,
  name: string,
  source: CheckoutSource,
  setup: string | null,
): CheckoutRequest => ({
  id: `${attempt.id}${name}`,
  runId: run.id,
  box: deps.runtimes.get(brief.runtime)?.capabilities.boxed ?? false,
  ...(deps.policyOf === undefined ? {} : { policy: deps.policyOf(run, brief) }),
  source,
  setup,
  signal,
})

/** Opens a place; rejects if it could not be made, which says nothing about the work. */
export async function openPlace(
  deps: EngineDeps,
  work: WorkToCheck,
  name: string,
  source: CheckoutSource,
  checks: Checks,
  evidence: readonly Evidence[] = work.claimed.brief.evidence,
): Promise<Place> {
  const request = requestOf(deps, work, name, source, checks.setup)
  const setups = createSetupWatch(deps, source, work.signal)
  const checkout = setups.watch(await deps.workspaces.checkout(request))
  const isOnHost = source.kind === 'commit' && checks.host !== null
  const host = isOnHost ? createHostCheckout(deps.workspaces, request, checks.host) : null
  const remove = async (...places: readonly { remove(): Promise<void> }[]): Promise<void> => {
    for (const each of new Set(places))
      await each.remove().catch((error: unknown) => {
        deps.log.warn('a checkout stays on the disk', { attempt: work.claimed.attempt.id, error: String(error) })
      })
  }
  try {
    const files = await openFiles(deps.workspaces, request, checkout, { evidence, outputs: work.outputs })
    const another = async (): Promise<Checkout> =>
      setups.watch(await deps.workspaces.checkout({ ...request, id: `${request.id}.alone` }))
    return {
      request,
      checkout,
      another,
      files,
      host,
      oddSetups: setups.odd,
      remove: () => remove(checkout, files, ...(host === null ? [] : [host])),
    }
  } catch (error) {
    await remove(checkout)
    throw error
  }
}

/** Checks some items of evidence again in another place, in the given order; they keep their numbers. */
export async function checkAgainIn(
  deps: EngineDeps,
  work: WorkToCheck,
  { checkout, another, files, host }: Place,
  items: readonly Pick<Finding, 'item' | 'evidence' | 'alone'>[],
  round: { readonly round: NonNullable<Finding['round']>; readonly commitId: string | null },
): Promise<{ findings: Finding[]; outputs: CheckResult['outputs'] }> {
  const { findings, outputs } = await checkEvidence({
    ...commonOf(deps, work),
    evidence: items.map(({ evidence }) => evidence),
    ...commandsIn(deps, work, checkout),
    another,
    // An item that held alone on the delivered work has to hold alone here too.
    mayFollow: (item) => items[item]?.alone !== undefined,
    files,
    ...(host === null ? {} : { host }),
  })
  return {
    findings: findings.map((each) => ({ ...each, ...round, item: items[each.item]?.item ?? each.item })),
    outputs,
  }
}

/** Git evidence starts processes of our own; commands and servers are the work's. */
export const isOfProcess = ({ kind }: Evidence): boolean => startsProcesses(kind) && kind !== 'git'
