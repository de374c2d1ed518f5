import type { ModelUsage } from '../../../src/adapters/runtime/port.ts'
import type { Report } from '../../../src/work/attempts/contract.ts'
import type { Brief } from '../../../src/work/briefs/contract.ts'
import type { Judgement } from '../../../src/work/verdicts/contract.ts'
import { exited, type WaitingAgent } from './runtime.ts'

/** How an attempt ends. */
export type Ending =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'done'; /** Files that it reports and has not written. */ readonly claims?: readonly string[] }
  | { readonly kind: 'verdict'; readonly judgement: Partial<Judgement> & Pick<Judgement, 'verdict'> }
  /** With a report that cannot be parsed. */
  | { readonly kind: 'bad' }
  | { readonly kind: 'blocked'; readonly reason: string }
  /** The agent needed a permission that it did not have. */
  | { readonly kind: 'denied'; readonly what: string }
  /** It spends more than its run may. */
  | { readonly kind: 'overspent' }
  /** Its commits seem to hold a secret; only in a repository. */
  | { readonly kind: 'secret' }
  | { readonly kind: 'crash' }
  | { readonly kind: 'partial' }

export const usageOf = (inputTokens: number): ModelUsage => ({
  kind: 'usage',
  inputTokens,
  outputTokens: 0,
  model: 'm',
  provider: 'p',
})

/** Lets an agent do what leads to this ending, as its runtime would report it. */
export async function playEnding({ events, workspace }: WaitingAgent, brief: Brief, ending: Ending): Promise<void> {
  const paths = brief.evidence.flatMap((each) => (each.kind === 'file' ? [each.path] : []))
  const report = (fields: Partial<Report>): void =>
    events.push({ kind: 'report', report: { status: 'done', summary: 'Done.', outputs: [], ...fields } })
  const write = async (): Promise<string[]> => {
    // Without a git, the files of all workspaces are in a commit: each needs a name of its own.
    const outputs = paths.length > 0 ? paths : [`${brief.key.replaceAll(':', '-')}.md`]
    for (const path of outputs) await workspace.write(path, `attempt ${brief.attempts}\n`)
    return outputs
  }
  switch (ending.kind) {
    case 'output':
      report({ output: ending.output })
      break
    case 'done':
      report({ outputs: [...(await write()), ...(ending.claims ?? [])] })
      break
    case 'secret':
      report({ outputs: await write() })
      break
    case 'partial':
      report({ status: 'partial', outputs: await write(), remaining: 'the rest' })
      break
    case 'verdict': {
      const checked = brief.evidence.flatMap((each) =>
        each.kind === 'file' ? [{ path: each.path, sha256: each.sha256 }] : [],
      )
      const whole = { checked: checked.length > 0 ? checked : ['it'], missingEvidence: [], issues: [], notes: '' }
      const { missingEvidence, ...judgement } = { ...whole, ...ending.judgement }
      report({ verdict: { ...judgement, missing_evidence: missingEvidence } as never })
      break
    }
    case 'blocked':
      report({ status: 'blocked', summary: ending.reason })
      break
    case 'bad':
      events.push({ kind: 'report', report: { status: 'unknown' } })
      break
    case 'denied':
      report({ status: 'blocked', summary: ending.what })
      return events.push({ ...exited, denied: [{ rule: ending.what, what: ending.what }] })
    case 'crash':
      return events.push({ ...exited, exitCode: 1 })
    case 'overspent':
      // The engine interrupts the agent.
      return events.push(usageOf(1e9))
  }
  events.push(exited)
}
