import type { ReadTx } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { type Evidence, startsProcesses } from '../../work/evidence/contract.ts'
import type { Finding } from '../../work/evidence/record.ts'
import { listOdd } from '../../work/evidence/store.ts'
import type { Proof, ProofFinding } from '../../work/proofs/contract.ts'
import { type EarlierCheck, listEarlierChecks } from '../../work/proofs/earlier-checks.ts'
import { type ProvableEvidence, provableEvidence } from '../../work/proofs/evidence.ts'
import { listProvenBriefs } from '../../work/proofs/proven-briefs.ts'
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
  /** Keys of the briefs with evidence that held only after other evidence, which an odd line says. */
  readonly preparedBriefs: ReadonlySet<string>
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
  const briefs = await listProvenBriefs(tx, run)
  const earlier = checks.place === 'checkout' ? await listEarlierChecks(tx, run, proof, briefs) : []
  const preparedBriefs = await listPrepared(tx, runId)
  return { run, repository: run.repository, proof, briefs, checks, earlier, preparedBriefs, isStopped }
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
export const startProving = (deps: EngineDeps, made: ProofToMake, earlierTries: number): LiveProof =>
  startLooking(
    deps,
    {
      id: made.proof.id,
      run: made.run,
      isLastTry: earlierTries + 1 >= maxTries,
      check: (signal) => check(deps, made, signal),
      record: (end) => record(deps, made.run.id, made.proof.id, end),
    },
    'proof',
  )

/** A look at a commit of a run, whose end is recorded. */
export interface Look {
  readonly id: string
  readonly run: Pick<Run, 'id' | 'organisationId'>
  /** A failure now means that it could not be checked. */
  readonly isLastTry: boolean
  check(signal: AbortSignal): Promise<ProofEnd>
  record(end: ProofEnd): Promise<void>
}

/** Checks, and records the end; a failure of the check itself rejects, unless the try is the last. */
export function startLooking(
  deps: EngineDeps,
  { id, run, isLastTry, ...work }: Look,
  name: 'proof' | 'repeat',
): LiveProof {
  const aborted = new AbortController()
  let why: Stop | null = null

  async function play(): Promise<boolean> {
    deps.chaosPoint(`${name}.begun`)
    const end = await look().catch((error: unknown) => {
      if (why === null) throw error
      return null
    })
    if (end === null) {
      if (why === 'daemon_stop') throw refusal('stopping', 'the engine is stopping')
      return why === 'cancelled'
    }
    deps.chaosPoint(`${name}.checked`)
    await work.record(end)
    return true
  }

  /** Resolves to the result, or to the reason why there is none: that is not the fault of the work. */
  async function look(): Promise<ProofEnd> {
    try {
      return await work.check(aborted.signal)
    } catch (error) {
      if (aborted.signal.aborted || !isLastTry) throw error
      const detail = shorten(redact(error instanceof Error ? error.message : String(error)), 1_000)
      deps.log.warn('the result of a run could not be checked', { run: run.id, [name]: id, error: detail })
      return { status: 'unchecked', findings: [], checkedIn: null, detail }
    }
  }

  return {
    proofId: id,
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
  return checkCommit(deps, { ...made, id: made.proof.id, commit: made.proof.head }, items, signal)
}

/** A commit whose evidence is to be checked. */
export interface CommitToCheck extends Pick<ProofToMake, 'run' | 'repository' | 'checks' | 'preparedBriefs'> {
  /** The name of its checkout. */
  readonly id: string
  readonly commit: string
}

/** Checks evidence on a commit, in a fresh checkout, with the settings of the repository. */
export async function checkCommit(
  deps: EngineDeps,
  made: CommitToCheck,
  items: readonly ProvableEvidence[],
  signal: AbortSignal,
  onFinding: (finding: ProofFinding) => void = () => {},
): Promise<ProofEnd> {
  const request = requestOf(deps, made, items, signal)
  const checkout = await deps.workspaces.checkout(request)
  const { place, host: hostChecks } = made.checks
  const host = hostChecks === null ? null : createHostCheckout(deps.workspaces, request, hostChecks)
  const named = { evidence: items.map(({ evidence }) => evidence), outputs: [] }
  let files: Checkout | null = null
  let setup: string | null = null
  const prepare = async (): Promise<Setup | null> => {
    const made = await setUp(checkout)
    setup = made?.command ?? null
    return made
  }
  const findingOf = ({ item, evidence, passed, detail, output, boxed, sha256, durationMs }: Finding): ProofFinding => ({
    evidence,
    briefs: (items[item] as ProvableEvidence).briefs.map(({ key }) => key),
    passed,
    detail,
    output,
    boxed,
    sha256,
    durationMs,
    setup: isSetUpFor(evidence.kind) ? setup : null,
  })
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
      setUp: prepare,
      another: async () => withSetUp(await deps.workspaces.checkout({ ...request, id: `${request.id}.alone` })),
      mayFollow: (item, earlier) => haveBrief(items[item], items[earlier], made.preparedBriefs),
      ...(host === null ? {} : { host: { ...host, open: async () => withSetUp(await host.open()) } }),
      signal,
      onFinding: (finding) => onFinding(findingOf(finding)),
    })
    signal.throwIfAborted()
    return {
      status: findings.every(({ passed }) => passed) ? 'passed' : 'failed',
      checkedIn: place === 'host' && host?.isUsed() !== true ? 'checkout' : place,
      findings: findings.map(findingOf),
    }
  } finally {
    for (const each of [checkout, files, host])
      await each?.remove().catch((error: unknown) => {
        deps.log.warn('a checkout stays on the disk', { checkout: made.id, error: String(error) })
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
  { run, repository, checks, id, commit }: CommitToCheck,
  items: readonly ProvableEvidence[],
  signal: AbortSignal,
): CheckoutRequest {
  const involved = items.flatMap(({ briefs }) => briefs)
  const wantsBox = ({ runtime }: Brief): boolean => deps.runtimes.get(runtime)?.capabilities.boxed ?? false
  const like = (involved.find(wantsBox) ?? involved[0]) as Brief
  return {
    id,
    runId: run.id,
    box: wantsBox(like),
    ...(deps.policyOf === undefined ? {} : { policy: withRoom(deps.policyOf, run, like, involved) }),
    source:
      checks.place === 'workspace'
        ? { kind: 'workspace', workspace: workspaceRequest(deps, run, like), commit }
        : {
            kind: 'commit',
            mirror: repository.mirror,
            branch: integrationBranch(run.id),
            commit,
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

/**
 * Work of one brief may build files that another item of the same brief needs, if that was so in the brief too. That of
 * other briefs is no part of its proof.
 */
const haveBrief = (
  one: ProvableEvidence | undefined,
  other: ProvableEvidence | undefined,
  prepared: ReadonlySet<string>,
): boolean =>
  one?.briefs.some(({ id, key }) => prepared.has(key) && other?.briefs.some((brief) => brief.id === id)) === true

/** Lists the briefs with evidence that held only after other evidence. */
export const listPrepared = async (tx: ReadTx, runId: string): Promise<ReadonlySet<string>> =>
  new Set((await listOdd(tx, runId)).flatMap(({ key, odd }) => (odd.kind === 'prepared' ? [key] : [])))

/** Files and git are looked at before the setup. */
const isSetUpFor = (kind: Evidence['kind']): boolean => kind === 'command' || kind === 'http'

const withSetUp = (checkout: Checkout): Checkout => ({ ...checkout, setUp: () => setUp(checkout) })

/** Rejects a check whose failure would say nothing about the work. */
function refuseUncheckable(deps: EngineDeps, items: readonly ProvableEvidence[], checkout: Checkout): void {
  const withProcesses = items.filter(({ evidence }) => startsProcesses(evidence.kind))
  if (withProcesses.length === 0) return
  const mayRun = ({ runtime }: Brief): boolean => deps.runtimes.get(runtime)?.capabilities.evidenceUnboxed ?? false
  if (!checkout.boxed && !withProcesses.every(({ briefs }) => briefs.some(mayRun)))
    throw new Unchecked('no sandbox is available for commands of this runtime')
}
