import type { CheckedIn } from '../../work/attempts/contract.ts'
import { type Odd, startsProcesses } from '../../work/evidence/contract.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import { isLeftToAgent } from '../../work/repository-settings/answer.ts'
import type { CheckTrouble } from '../../work/repository-settings/ask.ts'
import type { Checks } from '../../work/repository-settings/resolve.ts'
import type { RunRepository } from '../../work/runs/contract.ts'
import type { Checkout, CheckoutRequest, CheckoutSource } from '../../workspaces/port.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { checkEvidence, checkItem } from '../evidence/check.ts'
import { type HostCheckout, openOnHost } from '../evidence/host.ts'
import type { Grounds } from '../evidence/trouble.ts'
import { checkJudged } from './judged.ts'
import { oddOrder } from './prepared.ts'
import {
  checksOf,
  commandsIn,
  commonOf,
  type FinishedWork,
  isOfProcess,
  openPlace,
  requestOf,
  type Scene,
  sourceOf,
} from './place.ts'

export type CheckedWork =
  | {
      readonly result: CheckResult
      readonly checkedIn: CheckedIn | null
      readonly scene: Scene | null
      /** Evidence that holds only in a place that other code of the work has prepared. */
      readonly odd: readonly Odd[]
    }
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
  const source = sourceOf(deps, work.claimed, work.collected.commit, checks)
  const common = { ...commonOf(deps, work), keep: work.keep }
  if (source === null) {
    const check = { ...common, files: workspace, workspace, mayRunCommands: false }
    const result = await checkJudged(deps, work.claimed, check, await checkEvidence(check))
    return { result, checkedIn: null, scene: null, odd: [] }
  }
  const began = deps.clock.nowMs()
  const place = await openPlace(deps, work, '', source, checks)
  const { request, checkout, another, files, host } = place
  try {
    let result = await checkEvidence({
      ...common,
      ...commandsIn(deps, work, checkout),
      another,
      files: source.kind === 'commit' || source.commit !== null ? files : workspace,
      commitId: source.commit,
      ...(host === null ? {} : { host }),
    })
    const scene = { checks, source, tookMs: Math.max(0, deps.clock.nowMs() - began) }
    const checkedIn = checkedInOf(source, host?.isUsed() === true)
    if (source.kind !== 'commit' || run.repository === null || brief.kind !== 'work')
      return { result, checkedIn, scene, odd: brief.kind === 'work' ? oddOrder(result.findings) : [] }
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
    const judged = await judge(deps, result, checkedIn, {
      work,
      grounds,
      checks,
      isJudged: (finding) => !isHosts(finding),
    })
    if ('trouble' in judged) return judged
    return { ...judged, scene, odd: [...oddOrder(judged.result.findings), ...place.oddSetups()] }
  } finally {
    await place.remove()
  }
}

const checkedInOf = (source: CheckoutSource, isOnHost: boolean): CheckedIn => {
  if (source.kind === 'workspace') return source.commit === null ? 'copy' : 'workspace'
  return isOnHost ? 'host' : 'checkout'
}

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
): Promise<
  Omit<Extract<CheckedWork, { result: unknown }>, 'scene' | 'odd'> | Extract<CheckedWork, { trouble: unknown }>
> {
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
