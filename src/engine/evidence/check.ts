import type { Clock } from '../../kernel/clock.ts'
import { type Evidence, startsProcesses } from '../../work/evidence/contract.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import type { Setup, Workspace } from '../../workspaces/port.ts'
import { checkCommand } from './command.ts'
import { checkFile } from './file.ts'
import type { Found, Scene } from './finding.ts'
import { seen } from './finding.ts'
import { checkGit } from './git.ts'
import { checkHttp } from './http.ts'
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
  /** False if there is no sandbox and the operator did not name the runtime. */
  readonly mayRunCommands: boolean
  readonly clock: Clock
  readonly ourPorts?: readonly number[]
  /** Prepares the workspace for commands; called after the files were looked at, because it may write some. */
  readonly setUp?: () => Promise<Setup | null>
  readonly signal?: AbortSignal
}

/**
 * Checks all evidence that the brief declared, whatever the agent claims. Files are looked at before the first command
 * runs: a file that a check produces was not delivered. Rejects if something could not be checked.
 */
export async function checkEvidence(check: EvidenceCheck): Promise<CheckResult> {
  const { evidence, files, workspace, mayRunCommands, clock, ourPorts = [], setUp, signal } = check
  const { outputs, missing } = await findOutputs(check.outputs, files)
  const scene: Scene = {
    files,
    workspace,
    outputs,
    missing,
    mayRunCommands,
    clock,
    ourPorts,
    ...(signal && { signal }),
  }
  const findings: Finding[] = []
  for (const [item, each] of [...evidence.entries()].sort(([, a], [, b]) => rank(a) - rank(b))) {
    signal?.throwIfAborted()
    const began = clock.nowMs()
    const setup = isProcess(each) && mayRunCommands ? ((await setUp?.()) ?? null) : null
    const found = setup?.outcome === 'failed' ? notSetUp(setup) : await look(each, scene)
    // The result of a command that was ended with the examination says nothing.
    signal?.throwIfAborted()
    // A clock that is set back while a check runs must not make a negative duration.
    findings.push({ item, kind: each.kind, evidence: each, ...found, durationMs: Math.max(0, clock.nowMs() - began) })
  }
  return { findings: findings.sort((a, b) => a.item - b.item), outputs }
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
