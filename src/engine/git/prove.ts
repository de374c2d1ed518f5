import type { ReadTx } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { listBriefs } from '../../work/briefs/store.ts'
import { startsProcesses } from '../../work/evidence/contract.ts'
import type { Proof } from '../../work/proofs/contract.ts'
import { type EarlierCheck, listEarlierChecks } from '../../work/proofs/earlier-checks.ts'
import { type ProvableEvidence, provableEvidence } from '../../work/proofs/evidence.ts'
import { finishProof, type ProofEnd } from '../../work/proofs/finish.ts'
import { findWaitingProof } from '../../work/proofs/store.ts'
import { type Checks, resolveChecks } from '../../work/repository-settings/resolve.ts'
import { findRepositorySettings } from '../../work/repository-settings/store.ts'
import type { Run, RunRepository } from '../../work/runs/contract.ts'
import { findRun } from '../../work/runs/store.ts'
import { openScope } from '../../work/scope.ts'
import { lookForObstacles } from '../../work/stops/store.ts'
import { integrationBranch } from '../../repositories/port.ts'
import type { Checkout, CheckoutRequest, Setup, WorkspacePolicy } from '../../workspaces/port.ts'
import type { Stop } from '../attempt/classify.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'
import { checkEvidence } from '../evidence/check.ts'
import { openFiles } from '../evidence/files.ts'
import { createHostCheckout } from '../evidence/host.ts'
import { Unchecked } from '../evidence/finding.ts'
import { persist } from '../persist.ts'
import { findSameTree } from './same-tree.ts'

export interface ProofToMake {
  readonly run: Run
  readonly repository: RunRepository
  readonly proof: Proof
  readonly briefs: readonly Brief[]
  readonly checks: Checks
  /** Checks of briefs that may say the same. */
  readonly earlier: readonly EarlierCheck[]
  /** A stop of the organisation, or of everything, is in force. */
  readonly isStopped: boolean
}

/** Finds the proof that a run waits for; null if it waits for none. */
export async function findProofToMake(
  { hostChecks }: Pick<EngineDeps, 'hostChecks'>,
  tx: ReadTx,
  runId: string,
): Promise<ProofToMake | null> {
  const run = await findRun(tx, runId)
  const proof = await findWaitingProof(tx, runId)
  if (run === undefined || run.endedAt !== null || run.repository === null || proof === undefined) return null
  const { stopped: isStopped } = await lookForObstacles(tx, run.organisationId)
  const { path } = run.repository
  const checks = resolveChecks(run, await findRepositorySettings(tx, path), hostChecks?.get(path) ?? null)
  const briefs = await listBriefs(tx, runId)
  const earlier = checks.place === 'checkout' ? await listEarlierChecks(tx, run, proof, briefs) : []
  return { run, repository: run.repository, proof, briefs, checks, earlier, isStopped }
}

/** The proof of a run's result by this process. */
export interface LiveProof {
  readonly proofId: string
  readonly organisationId: number
  /**
   * Resolves to whether the proof is over. Rejects if something could not be checked and is to be tried again, or if
   * this process is stopping.
   */
  readonly ended: Promise<boolean>
  /** Ends its commands. */
  stop(why: Stop): void
}

/** The number of tries before a result counts as one that could not be checked. */
const maxTries = 4

/** Checks all evidence of a run on its merged result, and records the consequences. */
export function startProving(deps: EngineDeps, made: ProofToMake, earlierTries: number): LiveProof {
  const { run, proof } = made
  const aborted = new AbortController()
  let why: Stop | null = null

  async function play(): Promise<boolean> {
    deps.chaosPoint('proof.begun')
    const end = await look().catch((error: unknown) => {
      if (why === null) throw error
      return null
    })
    if (end === null) {
      if (why === 'daemon_stop') throw refusal('stopping', 'the engine is stopping')
      return why === 'cancelled'
    }
    deps.chaosPoint('proof.checked')
    await record(deps, run.id, proof.id, end)
    return true
  }

  /** Resolves to the result, or to the reason why there is none: that is not the fault of the work. */
  async function look(): Promise<ProofEnd> {
    try {
      return await check(deps, made, aborted.signal)
    } catch (error) {
      if (aborted.signal.aborted || earlierTries + 1 < maxTries) throw error
      const detail = shorten(redact(error instanceof Error ? error.message : String(error)), 1_000)
      deps.log.warn('the result of a run could not be checked', { run: run.id, proof: proof.id, error: detail })
      return { status: 'unchecked', findings: [], checkedIn: null, detail }
    }
  }

  return {
    proofId: proof.id,
    organisationId: run.organisationId,
    ended: play(),
    stop: (reason) => {
      why ??= reason
      aborted.abort()
    },
  }
}

const record = (deps: EngineDeps, runId: string, proofId: string, end: ProofEnd): Promise<void> =>
  persist(deps, () =>
    deps.db.write([`run:${runId}`], async (tx) => {
      const scope = await openScope(deps, tx, runId)
      if (scope !== null) await finishProof(scope, proofId, end)
    }),
  )

async function check(deps: EngineDeps, made: ProofToMake, signal: AbortSignal): Promise<ProofEnd> {
  const items = provableEvidence(made.briefs)
  if (items.length === 0) return { status: 'passed', findings: [], checkedIn: null }
  const known = await findSameTree(deps, made, items)
  if (known !== null) return known
  const request = requestOf(deps, made, items, signal)
  const checkout = await deps.workspaces.checkout(request)
  const { place, host: hostChecks } = made.checks
  const host = hostChecks === null ? null : createHostCheckout(deps.workspaces, request, hostChecks)
  const named = { evidence: items.map(({ evidence }) => evidence), outputs: [] }
  let files: Checkout | null = null
  try {
    refuseUncheckable(deps, items, checkout)
    files = await openFiles(deps.workspaces, request, checkout, named)
    const { findings } = await checkEvidence({
      ...named,
      files,
      workspace: checkout,
      mayRunCommands: true,
      clock: deps.clock,
      ourPorts: deps.ourPorts?.() ?? [],
      setUp: () => setUp(checkout),
      ...(host === null ? {} : { host: { ...host, open: async () => withSetUp(await host.open()) } }),
      signal,
    })
    signal.throwIfAborted()
    return {
      status: findings.every(({ passed }) => passed) ? 'passed' : 'failed',
      checkedIn: place === 'host' && host?.isUsed() !== true ? 'checkout' : place,
      findings: findings.map(({ item, evidence, passed, detail, output, boxed }) => ({
        evidence,
        briefs: (items[item] as ProvableEvidence).briefs.map(({ key }) => key),
        passed,
        detail,
        output,
        boxed,
      })),
    }
  } finally {
    for (const each of [checkout, files, host])
      await each?.remove().catch((error: unknown) => {
        deps.log.warn('a checkout stays on the disk', { proof: made.proof.id, error: String(error) })
      })
  }
}

/**
 * Requests a fresh checkout of the result, with the box and the policy of the work that it comes from. If the operator
 * decided that work on this repository is checked in the agents' workspaces, it is a copy of one of them, with tracked
 * files as in the result.
 */
function requestOf(
  deps: EngineDeps,
  { run, repository, proof, checks }: ProofToMake,
  items: readonly ProvableEvidence[],
  signal: AbortSignal,
): CheckoutRequest {
  const involved = items.flatMap(({ briefs }) => briefs)
  const wantsBox = ({ runtime }: Brief): boolean => deps.runtimes.get(runtime)?.capabilities.boxed ?? false
  const like = (involved.find(wantsBox) ?? involved[0]) as Brief
  return {
    id: proof.id,
    runId: run.id,
    box: wantsBox(like),
    ...(deps.policyOf === undefined ? {} : { policy: withRoom(deps.policyOf, run, like, involved) }),
    source:
      checks.place === 'workspace'
        ? { kind: 'workspace', workspace: workspaceRequest(deps, run, like), commit: proof.head }
        : {
            kind: 'commit',
            mirror: repository.mirror,
            branch: integrationBranch(run.id),
            commit: proof.head,
            ...(checks.paths.length === 0 ? {} : { paths: checks.paths }),
          },
    setup: checks.setup,
    signal,
  }
}

/**
 * Gives the checks the largest limits of all briefs: evidence that held within the limits of a coding agent must not
 * fail within those of a program.
 */
function withRoom(
  policyOf: NonNullable<EngineDeps['policyOf']>,
  run: Run,
  like: Brief,
  involved: readonly Brief[],
): WorkspacePolicy {
  const policy = policyOf(run, like)
  let { maxProcesses, maxMemoryMb, maxDiskMb } = policy.limits
  for (const { limits } of involved.map((brief) => policyOf(run, brief))) {
    maxProcesses = Math.max(maxProcesses, limits.maxProcesses)
    maxMemoryMb = Math.max(maxMemoryMb, limits.maxMemoryMb)
    maxDiskMb = Math.max(maxDiskMb, limits.maxDiskMb)
  }
  return { ...policy, limits: { maxProcesses, maxMemoryMb, maxDiskMb } }
}

/**
 * The setup of every brief was ready, so a setup that fails now proves nothing about the work until an operator has
 * looked.
 */
async function setUp(checkout: Checkout): Promise<Setup | null> {
  const setup = await checkout.setUp()
  if (setup?.outcome === 'failed') throw new Unchecked(`the setup "${setup.command}" failed: ${setup.detail}`)
  return setup
}

const withSetUp = (checkout: Checkout): Checkout => ({ ...checkout, setUp: () => setUp(checkout) })

/** Rejects a check whose failure would say nothing about the work. */
function refuseUncheckable(deps: EngineDeps, items: readonly ProvableEvidence[], checkout: Checkout): void {
  const withProcesses = items.filter(({ evidence }) => startsProcesses(evidence.kind))
  if (withProcesses.length === 0) return
  const mayRun = ({ runtime }: Brief): boolean => deps.runtimes.get(runtime)?.capabilities.evidenceUnboxed ?? false
  if (!checkout.boxed && !withProcesses.every(({ briefs }) => briefs.some(mayRun)))
    throw new Unchecked('no sandbox is available for commands of this runtime')
}
