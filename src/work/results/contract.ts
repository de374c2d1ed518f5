import { z } from 'zod'

/** A request in the inputs of a step: the engine replaces it by the results when the step starts. */
export const ResultsRequest = z.strictObject({
  part: z.string().optional().describe('Only the briefs of this part; without it, those of the whole run'),
})
export type ResultsRequest = z.infer<typeof ResultsRequest>

/** The newest result of a brief, as a step sees it that judges or accepts it. The names are those of its JSON. */
export interface Result {
  readonly key: string
  readonly title: string
  readonly group: string | null
  readonly status: string
  readonly attempt: number
  /** The claim of its agent. */
  readonly summary: string | null
  readonly outputs: readonly { readonly path: string; readonly sha256: string }[]
  readonly more_outputs?: number
  /** Files that its report names and that did not exist when the evidence was checked. */
  readonly missing_outputs?: readonly string[]
  /** The engine's own checks, failed ones first. */
  readonly evidence: readonly string[]
  readonly more_evidence?: number
  /** On this attempt; null: it has none. */
  readonly verdict: { readonly verdict: string; readonly issues: readonly string[]; readonly notes: string } | null
}

/** The work of one group of briefs, such as a workstream, in numbers. */
export interface GroupResults {
  readonly tasks: number
  /** A verifier passed the newest attempt. */
  readonly pass: number
  /** A verifier did not pass it. */
  readonly fail: number
  /** It has no verdict. */
  readonly unjudged: number
  readonly cancelled: number
}

export interface Results {
  readonly groups: Readonly<Record<string, GroupResults>>
  readonly more_groups: number
  /** Work without a passing verdict comes first, then a share of each group; cancelled work is last. */
  readonly briefs: readonly Result[]
  /** Number of briefs that are not shown. */
  readonly more_briefs: number
}
