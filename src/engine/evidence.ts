import type { Clock } from '../kernel/clock.ts'
import { redact, shorten } from '../kernel/text.ts'
import type { Report } from '../work/attempts/contract.ts'
import type { Brief } from '../work/briefs/contract.ts'
import type { Check, Evidence } from '../work/evidence/contract.ts'
import type { Workspace } from '../workspaces/port.ts'

/** What was found, before it has an id and a place in the store. */
export type Finding = Pick<
  Check,
  'item' | 'kind' | 'evidence' | 'passed' | 'detail' | 'output' | 'sha256' | 'boxed' | 'durationMs'
>

export interface Output {
  path: string
  sha256: string
  bytes: number
}

export interface Examination {
  findings: Finding[]
  /** The reported outputs that exist; these become artifacts. */
  outputs: Output[]
}

const keptOutput = 4_000
const searchedBytes = 1_000_000

/**
 * Looks at everything the brief declared, whatever the agent claims. Commands are the brief's, not the report's;
 * `mayRunCommands` is false where there is no sandbox and the runtime is not one the operator started by name.
 */
export async function examine(
  brief: Brief,
  report: Report,
  workspace: Workspace,
  clock: Clock,
  mayRunCommands: boolean,
): Promise<Examination> {
  const outputs: Output[] = []
  const missing: string[] = []
  for (const path of new Set(report.outputs)) {
    const file = await workspace.read(path, 0)
    if (file === null) missing.push(path)
    else outputs.push({ path, sha256: file.sha256, bytes: file.bytes })
  }
  const findings: Finding[] = []
  for (const [item, evidence] of brief.evidence.entries()) {
    const began = clock.nowMs()
    const found = await look(evidence, { workspace, outputs, missing, mayRunCommands })
    // A clock that is set back while a check runs must not make a negative duration.
    findings.push({ item, kind: evidence.kind, evidence, ...found, durationMs: Math.max(0, clock.nowMs() - began) })
  }
  return { findings, outputs }
}

type Found = Pick<Finding, 'passed' | 'detail' | 'output' | 'sha256' | 'boxed'>

interface Scene {
  workspace: Workspace
  outputs: readonly Output[]
  missing: readonly string[]
  mayRunCommands: boolean
}

const seen = (passed: boolean, detail: string, more: Partial<Found> = {}): Found => ({
  passed,
  detail,
  output: '',
  sha256: null,
  boxed: false,
  ...more,
})

function look(evidence: Evidence, scene: Scene): Promise<Found> {
  if (evidence.kind === 'command') return lookAtCommand(evidence, scene)
  if (evidence.kind === 'file') return lookAtFile(evidence, scene)
  return Promise.resolve(lookAtOutputs(evidence, scene))
}

async function lookAtCommand(evidence: Extract<Evidence, { kind: 'command' }>, scene: Scene): Promise<Found> {
  if (!scene.mayRunCommands) return seen(false, 'not run: there is no sandbox here for commands of this runtime')
  const result = await scene.workspace.run(evidence.run, {
    timeoutMs: evidence.timeoutSeconds * 1_000,
    maxOutputBytes: searchedBytes,
  })
  const found = { output: shorten(redact(result.output), keptOutput), sha256: result.outputSha256, boxed: result.boxed }
  if (result.timedOut) return seen(false, `still running after ${evidence.timeoutSeconds} s`, found)
  if (result.signal !== null) return seen(false, `killed by ${result.signal}`, found)
  if (result.exitCode === null) return seen(false, 'could not be started', found)
  if (result.exitCode !== evidence.expectExit)
    return seen(false, `exit code ${result.exitCode}, expected ${evidence.expectExit}`, found)
  if (evidence.expectOutput !== undefined && !result.output.includes(evidence.expectOutput))
    return seen(false, `its output does not contain "${shorten(evidence.expectOutput, 80)}"`, found)
  return seen(true, `exit code ${result.exitCode}`, found)
}

async function lookAtFile(evidence: Extract<Evidence, { kind: 'file' }>, scene: Scene): Promise<Found> {
  const file = await scene.workspace.read(evidence.path, evidence.contains === undefined ? 0 : searchedBytes)
  if (file === null) return seen(false, `${evidence.path} is not there, not a file inside the workspace, or too large`)
  const found = { sha256: file.sha256 }
  if (file.bytes < evidence.minBytes)
    return seen(false, `${evidence.path} has ${file.bytes} bytes, expected at least ${evidence.minBytes}`, found)
  if (evidence.sha256 !== undefined && file.sha256 !== evidence.sha256)
    return seen(false, `${evidence.path} has another hash than expected`, found)
  if (evidence.contains !== undefined && !file.text.includes(evidence.contains))
    return seen(false, `${evidence.path} does not contain "${shorten(evidence.contains, 80)}"`, found)
  return seen(true, `${evidence.path}, ${file.bytes} bytes`, found)
}

function lookAtOutputs(evidence: Extract<Evidence, { kind: 'artifact' }>, scene: Scene): Found {
  if (evidence.path !== undefined) {
    const output = scene.outputs.find((each) => each.path === evidence.path)
    if (output !== undefined) return seen(true, `${output.path}, ${output.bytes} bytes`, { sha256: output.sha256 })
    return seen(
      false,
      scene.missing.includes(evidence.path)
        ? `${evidence.path} was reported but is not there`
        : `${evidence.path} was not reported as an output`,
    )
  }
  if (scene.missing.length > 0) return seen(false, `reported but not there: ${shorten(scene.missing.join(', '), 300)}`)
  const first = scene.outputs[0]
  if (first === undefined) return seen(false, 'the report names no output')
  const count = scene.outputs.length
  return seen(true, count === 1 ? `${first.path}, ${first.bytes} bytes` : `${count} outputs`, {
    sha256: count === 1 ? first.sha256 : null,
  })
}
