import type { Clock } from '../../kernel/clock.ts'
import { describeEvidence, type Evidence, startsProcesses } from '../../work/evidence/contract.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import { shorten } from '../../kernel/text.ts'
import type { Checkout, Setup, Workspace } from '../../workspaces/port.ts'
import { createTurns } from './alone.ts'
import { checkCommand } from './command.ts'
import { checkFile } from './file.ts'
import type { Found, Scene } from './finding.ts'
import { seen } from './finding.ts'
import { checkGit } from './git.ts'
import { checkHttp } from './http.ts'
import type { KeepOutputs } from './keep-outputs.ts'
import { findOutputs, checkOutputs } from './outputs.ts'
import { checkSchema } from './schema.ts'

export interface EvidenceCheck {
  readonly evidence: readonly Evidence[]
  /** Paths of the reported outputs. */
  readonly outputs: readonly string[]
  /** Where files are looked at. */
  readonly files: Workspace
  /** Where processes are started. */
  readonly workspace: Workspace
  /** The commit that the work began with: git evidence without `since` counts from there. */
  readonly since?: string | null
  /** The commit that is checked, if there is one. */
  readonly commitId?: string | null
  /** False if there is no sandbox and the operator did not name the runtime. */
  readonly mayRunCommands: boolean
  readonly clock: Clock
  readonly ourPorts?: readonly number[]
  /** Prepares the workspace for commands; called after the files were looked at, because it may write some. */
  readonly setUp?: () => Promise<Setup | null>
  /** Opens a further place like `workspace`; without it, all commands share one. */
  readonly another?: () => Promise<Checkout>
  /** Reports whether an item may rest on the files that an earlier one leaves behind; default: always. */
  readonly mayFollow?: (item: number, earlier: number) => boolean
  /** Commands that run in a place of their own, outside any box. */
  readonly host?: HostCommands
  readonly signal?: AbortSignal
  /** Keeps the outputs before a command can change them. */
  readonly keep?: KeepOutputs
  /** Gets each result at once: all of them together may take long. */
  readonly onFinding?: (finding: Finding) => void
}

export interface HostCommands {
  readonly commands: readonly string[]
  readonly open: () => Promise<Checkout>
}

/**
 * Checks all evidence that the brief declared, whatever the agent claims. Files are looked at before the first command
 * runs: a file that a check produces was not delivered. Rejects if something could not be checked.
 */
export async function checkEvidence(check: EvidenceCheck): Promise<CheckResult> {
  const { evidence, files, clock, host, signal } = check
  const found = await findOutputs(check.outputs, files)
  await check.keep?.(found.outputs, files)
  const findings: Finding[] = []
  const lookInTurn = inTurns(check, found)
  for (const [item, each] of [...evidence.entries()].sort(([, a], [, b]) => rank(a) - rank(b))) {
    signal?.throwIfAborted()
    const began = clock.nowMs()
    const place = each.kind === 'command' && host?.commands.includes(each.run) ? await host.open() : null
    const looked =
      place === null
        ? await lookInTurn(item, each)
        : await lookIn(each, { ...check, workspace: place, setUp: place.setUp, mayRunCommands: true }, found)
    // The result of a command that was ended with the examination says nothing.
    signal?.throwIfAborted()
    // A clock that is set back while a check runs must not make a negative duration.
    const durationMs = Math.max(0, clock.nowMs() - began)
    const commitId = check.commitId ?? null
    const finding: Finding = { item, kind: each.kind, evidence: each, ...looked, commitId, durationMs }
    findings.push(finding)
    check.onFinding?.(finding)
  }
  return { findings: findings.sort((a, b) => a.item - b.item), ...found }
}

type Looked = Found & Pick<Finding, 'setup' | 'alone'>

/** Looks at items one after the other, each command in a place of its own if there can be further ones. */
function inTurns(
  check: EvidenceCheck,
  found: Pick<Scene, 'outputs' | 'missing'>,
): (item: number, evidence: Evidence) => Promise<Looked> {
  const { another, mayFollow = () => true, mayRunCommands } = check
  if (another === undefined || !mayRunCommands) return (_item, evidence) => lookIn(evidence, check, found)
  const turn = createTurns({
    another,
    mayFollow,
    look: ({ evidence }, place) =>
      lookIn(evidence, place === null ? check : { ...check, workspace: place, setUp: place.setUp }, found),
  })
  return async (item, evidence) => {
    if (!isProcess(evidence)) return lookIn(evidence, check, found)
    const { onlyAfter = [], ...looked } = await turn({ item, evidence })
    const named = onlyAfter.map((each) => shorten(describeEvidence(each), 100)).join(', ')
    return named === '' ? looked : { ...looked, detail: `${looked.detail}, but only after ${named}` }
  }
}

/** Checks one item of evidence again, in another place. */
export const checkItem = async (evidence: Evidence, check: EvidenceCheck): Promise<Found> =>
  lookIn(evidence, check, await findOutputs(check.outputs, check.files))

async function lookIn(
  evidence: Evidence,
  { files, workspace, mayRunCommands, clock, ourPorts = [], setUp, since = null, signal }: EvidenceCheck,
  found: Pick<Scene, 'outputs' | 'missing'>,
): Promise<Looked> {
  const setup = isProcess(evidence) && mayRunCommands ? ((await setUp?.()) ?? null) : null
  if (setup?.outcome === 'failed') return { ...notSetUp(setup), setup: setup.command }
  const scene = { files, workspace, ...found, mayRunCommands, clock, ourPorts, since, ...(signal && { signal }) }
  return { ...(await look(evidence, scene)), setup: setup?.command ?? null }
}

/** Git evidence starts processes of our own, which change nothing; commands and servers are the work's. */
const isProcess = ({ kind }: Evidence): boolean => startsProcesses(kind) && kind !== 'git'

const rank = (evidence: Evidence): number => Number(isProcess(evidence))

const notSetUp = ({ command, detail, output }: Setup): Found =>
  seen(false, `not run: the setup "${command}" failed: ${detail}`, { output })

async function look(evidence: Evidence, scene: Scene): Promise<Found> {
  switch (evidence.kind) {
    case 'command':
      return checkCommand(evidence, scene)
    case 'file':
      return checkFile(evidence, scene)
    case 'artifact':
      return checkOutputs(evidence, scene)
    case 'git':
      return checkGit(evidence, scene)
    case 'schema':
      return checkSchema(evidence, scene)
    case 'http':
      return checkHttp(evidence, scene)
  }
}
