import type { Clock } from '../../kernel/clock.ts'
import type { Report } from '../../work/attempts/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Evidence } from '../../work/evidence/contract.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { checkCommand } from './command.ts'
import { checkFile } from './file.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import type { Found, Scene } from './finding.ts'
import { checkGit } from './git.ts'
import { checkHttp } from './http.ts'
import { findOutputs, checkOutputs } from './outputs.ts'
import { checkSchema } from './schema.ts'

/**
 * Looks at everything the brief declared, whatever the agent claims. Commands are the brief's, not the report's;
 * `mayRunCommands` is false where there is no sandbox and the runtime is not one the operator started by name.
 */
export async function checkEvidence(
  brief: Brief,
  report: Report,
  workspace: Workspace,
  clock: Clock,
  mayRunCommands: boolean,
  ourPorts: readonly number[] = [],
): Promise<CheckResult> {
  const { outputs, missing } = await findOutputs(report.outputs, workspace)
  const scene: Scene = { workspace, outputs, missing, mayRunCommands, clock, ourPorts }
  const findings: Finding[] = []
  for (const [item, evidence] of brief.evidence.entries()) {
    const began = clock.nowMs()
    const found = await look(evidence, scene)
    // A clock that is set back while a check runs must not make a negative duration.
    findings.push({ item, kind: evidence.kind, evidence, ...found, durationMs: Math.max(0, clock.nowMs() - began) })
  }
  return { findings, outputs }
}

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
