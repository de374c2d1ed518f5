import type { CheckedIn } from '../../work/attempts/contract.ts'
import { branchOf } from '../../work/briefs/branches.ts'
import { type Evidence, startsProcesses } from '../../work/evidence/contract.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import { isLeftToAgent } from '../../work/repository-settings/answer.ts'
import type { CheckTrouble } from '../../work/repository-settings/ask.ts'
import { type Checks, resolveChecks } from '../../work/repository-settings/resolve.ts'
import { findRepositorySettings } from '../../work/repository-settings/store.ts'
import type { Run, RunRepository } from '../../work/runs/contract.ts'
import type { Checkout, CheckoutRequest, CheckoutSource, Workspace } from '../../workspaces/port.ts'
import type { Claimed } from '../attempt/start.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { checkEvidence, checkItem } from '../evidence/check.ts'
import { openFiles } from '../evidence/files.ts'
import { createHostCheckout, type HostCheckout, openOnHost } from '../evidence/host.ts'
import type { Grounds } from '../evidence/trouble.ts'
import type { CollectedEnd } from './collect.ts'

/** Finished work whose evidence is to be checked. */
export interface FinishedWork {
  readonly claimed: Claimed
  readonly workspace: Workspace
  readonly collected: CollectedEnd
  /** Paths of the reported outputs. */
  readonly outputs: readonly string[]
  readonly signal: AbortSignal
}

export type CheckedWork =
  | { readonly result: CheckResult; readonly checkedIn: CheckedIn | null }
  /** No fresh checkout of the repository can be checked, which says nothing about the work. */
  | { readonly trouble: CheckTrouble }

/**
 * Checks in a clean checkout of the collected commit, or, without a repository, in a copy of the workspace if commands
 * run: a check leaves nothing behind that a later attempt would find. The operator may have chosen another place for
 * the repository.
 */
export async function checkWork(deps: EngineDeps, work: FinishedWork): Promise<CheckedWork> {
  const { run, brief } = work.claimed
  const { workspace } = work
  const checks = await checksOf(deps, run)
  const source = sourceOf(deps, work, checks)
  const common = commonOf(deps, work)
  if (source === null) {
    const result = await checkEvidence({ ...common, files: workspace, workspace, mayRunCommands: false })
    return { result, checkedIn: null }
  }
  const request = requestOf(deps, work, '', source, checks.setup)
  const checkout = await deps.workspaces.checkout(request)
  const isOnHost = source.kind === 'commit' && checks.host !== null
  const host = isOnHost ? createHostCheckout(deps.workspaces, request, checks.host) : null
  let files: Checkout | null = null
  try {
    files = await openFiles(deps.workspaces, request, checkout, common)
    let result = await checkEvidence({
      ...common,
      ...commandsIn(deps, work, checkout),
      files: source.kind === 'commit' || source.commit !== null ? files : workspace,
      ...(host === null ? {} : { host }),
    })
    const checkedIn = checkedInOf(source, host?.isUsed() === true)
    if (source.kind !== 'commit' || run.repository === null || brief.kind !== 'work') return { result, checkedIn }
    const grounds = groundsOf(deps, work, { checks, source, checkout, repository: run.repository })
    const isHosts = ({ evidence }: Finding): boolean =>
      evidence.kind === 'command' && host?.commands.includes(evidence.run) === true
    // A file that is missing is the agent's to deliver, whatever else fails.
    if (host?.isUsed() === true && result.findings.every(({ passed, evidence }) => passed || isOfProcess(evidence))) {
      const onHost = await groundsOnHost(deps, work, grounds, host, { request, source, checks })
      const judged = await judge(deps, result, checkedIn, { work, grounds: onHost, checks, isJudged: isHosts })
      if ('trouble' in judged) return judged
      result = judged.result
    }
    return await judge(deps, result, checkedIn, { work, grounds, checks, isJudged: (finding) => !isHosts(finding) })
  } finally {
    for (const each of [checkout, files, host])
      await each?.remove().catch((error: unknown) => {
        deps.log.warn('a checkout stays on the disk', { attempt: work.claimed.attempt.id, error: String(error) })
      })
  }
}

/** The settings of the repository as they are now: an answer may have changed them since the run began. */
async function checksOf({ db, hostChecks }: EngineDeps, run: Run): Promise<Checks> {
  const path = run.repository?.path
  const settings = path === undefined ? undefined : await db.read((tx) => findRepositorySettings(tx, path))
  return resolveChecks(run, settings, path === undefined ? null : (hostChecks?.get(path) ?? null))
}

/** Returns null if the files can be read where they are: they belong to no repository, and nothing is run. */
function sourceOf(deps: EngineDeps, { claimed, collected }: FinishedWork, checks: Checks): CheckoutSource | null {
  const { run, brief } = claimed
  const { repository } = run
  // A verifier started with the judged commit, in which nobody changes anything.
  if (repository !== null && brief.kind !== 'plan' && brief.startCommit !== null) {
    const commit = collected.commit ?? brief.startCommit
    if (checks.place === 'workspace' && brief.kind === 'work')
      return { kind: 'workspace', workspace: workspaceRequest(deps, run, brief), commit }
    const { mirror } = repository
    const paths = checks.paths.length === 0 ? {} : { paths: checks.paths }
    return { kind: 'commit', mirror, branch: branchOf(run, brief), commit, ...paths }
  }
  if (!brief.evidence.some(({ kind }) => startsProcesses(kind))) return null
  return { kind: 'workspace', workspace: workspaceRequest(deps, run, brief), commit: null }
}

const checkedInOf = (source: CheckoutSource, isOnHost: boolean): CheckedIn => {
  if (source.kind === 'workspace') return source.commit === null ? 'copy' : 'workspace'
  return isOnHost ? 'host' : 'checkout'
}

const commonOf = (deps: EngineDeps, { claimed, outputs, signal }: FinishedWork) => ({
  evidence: claimed.brief.evidence,
  outputs,
  clock: deps.clock,
  ourPorts: deps.ourPorts?.() ?? [],
  signal,
})

const commandsIn = (deps: EngineDeps, { claimed: { brief } }: FinishedWork, checkout: Checkout) => ({
  workspace: checkout,
  mayRunCommands: checkout.boxed || (deps.runtimes.get(brief.runtime)?.capabilities.evidenceUnboxed ?? false),
  setUp: checkout.setUp,
})

const requestOf = (
  deps: EngineDeps,
  { claimed: { run, brief, attempt }, signal }: FinishedWork,
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

interface Judged {
  readonly work: FinishedWork
  readonly grounds: Grounds
  readonly checks: Checks
  /** Selects the findings of these grounds. */
  readonly isJudged: (finding: Finding) => boolean
}

/** Tells the fault of the place from that of the agent, if something failed. */
async function judge(
  deps: EngineDeps,
  result: CheckResult,
  checkedIn: CheckedIn,
  { work, grounds, checks, isJudged }: Judged,
): Promise<CheckedWork> {
  const { troubles } = deps
  const failed = result.findings.filter((finding) => !finding.passed && isJudged(finding))
  if (failed.length === 0 || troubles === undefined) return { result, checkedIn }
  const needsSetup = failed.some(({ evidence }) => startsProcesses(evidence.kind) && evidence.kind !== 'git')
  const setup = needsSetup ? await grounds.checkout.setUp() : null
  if (setup?.outcome === 'failed') {
    const { fault, what, detail, isDoubtful } = await troubles.judgeSetup(setup, grounds)
    if (fault === 'place' && !(await isLeft(deps, work, isDoubtful)))
      return { trouble: troubleOf(grounds, checks, { what, detail }) }
    const explained = { detail: `not run: ${what} (${detail})` }
    const findings = result.findings.map((finding) =>
      failed.includes(finding) && isOfProcess(finding.evidence) ? { ...finding, ...explained } : finding,
    )
    return { result: { ...result, findings }, checkedIn }
  }
  const judged = await troubles.judgeFindings(failed, grounds)
  if (judged.fault === 'place')
    return (await isLeft(deps, work, judged.isDoubtful))
      ? { result, checkedIn }
      : { trouble: troubleOf(grounds, checks, judged) }
  const explained = new Map(judged.findings.map((finding) => [finding.item, finding]))
  const findings = result.findings.map((finding) => explained.get(finding.item) ?? finding)
  return { result: { ...result, findings }, checkedIn }
}

/** Reports whether the agent is corrected although the place may be at fault. In doubt, a run that asks nobody does so. */
const isLeft = async ({ db }: EngineDeps, { claimed: { run, brief } }: FinishedWork, isDoubtful = false) =>
  (isDoubtful && run.configuration.onLimit === 'fail') || (await db.read((tx) => isLeftToAgent(tx, brief.id)))

const troubleOf = (
  { repository, isOnHost = false }: Grounds,
  checks: Checks,
  { what, detail }: Pick<CheckTrouble, 'what' | 'detail'>,
): CheckTrouble => ({ repository, what, detail, checks, isOnHost })

const isOfProcess = ({ kind }: Evidence): boolean => startsProcesses(kind) && kind !== 'git'

/** Returns the grounds of commands outside any box: a copy of the agent's workspace in the box proves nothing there. */
async function groundsOnHost(
  deps: EngineDeps,
  work: FinishedWork,
  grounds: Grounds,
  host: HostCheckout,
  { request, source, checks }: { request: CheckoutRequest; source: CommitSource; checks: Checks },
): Promise<Grounds> {
  const setup = checks.host?.setup ?? null
  const base = { ...request, id: `${request.id}.base`, source: { ...source, commit: grounds.base } }
  return {
    ...grounds,
    setup,
    isOnHost: true,
    checkout: await host.open(),
    checkoutBase: () => openOnHost(deps.workspaces, base, setup),
    copyWorkspace: async () => null,
    check: (evidence, place) =>
      checkItem(evidence, {
        ...commonOf(deps, work),
        files: place,
        workspace: place,
        setUp: place.setUp,
        mayRunCommands: true,
      }),
  }
}

type CommitSource = Extract<CheckoutSource, { kind: 'commit' }>

function groundsOf(
  deps: EngineDeps,
  work: FinishedWork,
  {
    checks,
    source,
    checkout,
    repository,
  }: {
    checks: Checks
    source: CommitSource
    checkout: Checkout
    repository: RunRepository
  },
): Grounds {
  const { run, brief } = work.claimed
  const { commit } = source
  const open = (name: string, from: CheckoutSource): Promise<Checkout> =>
    deps.workspaces.checkout(requestOf(deps, work, name, from, checks.setup))
  return {
    repository: repository.path,
    branch: repository.branch,
    base: repository.base,
    setup: checks.setup,
    signal: work.signal,
    checkout,
    checkoutBase: () => open('.base', { ...source, commit: repository.base }),
    copyWorkspace: () => open('.copy', { kind: 'workspace', workspace: workspaceRequest(deps, run, brief), commit }),
    check: (evidence, place) =>
      checkItem(evidence, { ...commonOf(deps, work), ...commandsIn(deps, work, place), files: place }),
  }
}
