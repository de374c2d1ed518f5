import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { GateSummary } from '../../work/gates/contract.ts'
import type { View } from '../contract.ts'
import type { Acceptance, Architecture, JointVerdict, Proposal, Task, TierPlan, Workstream } from './contract.ts'
import type { Designed } from './t2-design.ts'
import { estimateLine } from './t1-estimate.ts'
import { documents } from './base-names.ts'
import { isUsualPath } from './t1-plan-faults.ts'
import { bullets, listed } from './base-text.ts'

/** Summaries for the person or tier that decides at a gate. Long lists are cut here, but never the lines before them. */

const mostLines = 40

export function planSummary(view: View, plan: TierPlan): GateSummary {
  const { workstreams, parallelism, complexity, self_critique_summary: critique } = plan
  const produced = [
    `A plan of ${counted(workstreams.length, 'workstream')} (complexity ${complexity}, retries ×${plan.retry_budget_multiplier}):`,
    bullets(workstreams.map(streamLine), mostLines),
    `Order: ${listed(
      parallelism.sequence.map((group) => `${group} (${(parallelism.groups[group] ?? []).length})`),
      20,
    )}.`,
    `Self-critique: ${shorten(critique.trim(), 2_000)}`,
  ]
  return {
    produced: produced.join('\n'),
    next: [nextOfPlan(plan), estimateLine(view, plan)].join('\n'),
    anomalies: oddOfPlan(view, plan),
    amendments: amendmentsOf(view),
  }
}

const streamLine = ({ id, name, tier_path, t2_specialist: specialist, parallel_group: group }: Workstream): string =>
  `${id} (group ${group}): ${shorten(name, 80)} — ${tier_path.join(' → ')}${specialist === null ? '' : `, ${specialist}`}`

function nextOfPlan({ workstreams, parallelism: { groups, sequence } }: TierPlan): string {
  const first = workstreams.filter(({ id }) => (groups[sequence[0] as string] ?? []).includes(id))
  const of = (tier: string): string[] => first.filter(({ tier_path }) => tier_path[0] === tier).map(({ id }) => id)
  const starts = [
    ...(of('t2').length > 0
      ? [`the Lead Architect, then ${counted(of('t2').length, 'specialist')} (${listed(of('t2'), 8)})`]
      : []),
    ...(of('t3').length > 0 ? [`${counted(of('t3').length, 'squad lead')} (${listed(of('t3'), 8)})`] : []),
    ...(of('t4').length > 0 ? [`${counted(of('t4').length, 'implementer')} (${listed(of('t4'), 8)})`] : []),
  ]
  const later = sequence.length > 1 ? ` Then ${listed(sequence.slice(1), 8)}, one after the other.` : ''
  return `Approve and group ${sequence[0]} starts: ${starts.join('; ')}.${later}`
}

function oddOfPlan({ run, found }: View, { workstreams }: TierPlan): string[] {
  const unknown = new Set(found.unknownPersonalities ?? [])
  const unknownSpecialists = workstreams.filter(({ t2_specialist: name }) => name !== null && unknown.has(name))
  const unusual = workstreams.filter(({ tier_path }) => !isUsualPath(tier_path))
  const ofT1 = workstreams.filter(({ tier_path }) => !tier_path.includes('t3'))
  const unusedSpecialists = workstreams.filter(
    ({ tier_path, t2_specialist: name }) => name !== null && !tier_path.includes('t2'),
  )
  return [
    ...unknownSpecialists
      .slice(0, 10)
      .map(
        ({ id, t2_specialist: name }) => `${id}: the talent pool has no "${name}"; the default of its domain is cast`,
      ),
    ...unusual.slice(0, 10).map(({ id, tier_path }) => `${id} has an unusual path: ${tier_path.join(' → ')}`),
    ...unproven(run, 'T1', ofT1),
    ...(unusedSpecialists.length === 0
      ? []
      : [
          `A specialist is named, but the path has no t2: ${listed(
            unusedSpecialists.map(({ id }) => id),
            8,
          )}`,
        ]),
  ]
}

/** Names the work without evidence of the operator's, which only a verifier can pass, whatever its planner asks for. */
function unproven(
  { configuration }: View['run'],
  planner: string,
  work: readonly { id: string; evidence_required: readonly unknown[] }[],
): string[] {
  if (configuration.evidence.length > 0) return []
  const { bare = [], own = [] } = Object.groupBy(work, ({ evidence_required: proofs }) =>
    proofs.length === 0 ? 'bare' : 'own',
  )
  const named = (of: typeof work): string =>
    listed(
      of.map(({ id }) => id),
      8,
    )
  return [
    ...(bare.length === 0 ? [] : [`Without checkable evidence, only a verifier judges: ${named(bare)}`]),
    ...(own.length === 0 ? [] : [`Only ${planner} chose the evidence, and a verifier decides: ${named(own)}`]),
  ]
}

export const amendmentsOf = ({ found }: View): string[] =>
  found.amendments
    .slice(-20)
    .map(
      ({ workstream, beforePath, afterPath, proposedBy, reason }) =>
        `${workstream}: ${beforePath.join(' → ')} became ${afterPath.join(' → ')} (${proposedBy}: ${shorten(reason, 200)})`,
    )

export function boundsSummary(view: View): GateSummary {
  const { domains } = view.found.documents[documents.boundaries] as {
    domains: { domain: string; owns: string[] }[]
  }
  return {
    produced: [
      `Boundaries of ${counted(domains.length, 'domain')}:`,
      bullets(
        domains.map(({ domain, owns }) => `${domain} owns ${listed(owns, 5)}`),
        mostLines,
      ),
    ].join('\n'),
    next: 'Approve to start the specialists; reject with a reason to let the lead redraw the boundaries.',
    anomalies: [],
    amendments: amendmentsOf(view),
  }
}

export function architectureSummary(view: View, streams: readonly Designed[], acceptance: Acceptance): GateSummary {
  const architecture = view.found.documents[documents.architecture] as Architecture
  const proposals = streams.map(
    ({ id }) => [id, view.found.documents[documents.proposal(id)] as Proposal | undefined] as const,
  )
  const squads = proposals.reduce((sum, [, proposal]) => sum + (proposal?.t3_squads.length ?? 1), 0)
  return {
    produced: [
      `T1: accept — ${shorten(acceptance.reason, 500)}`,
      shorten(architecture.overview, 2_000),
      bullets(
        streams.map(({ id }) => `${id}: ${shorten(architecture.slices[id]?.summary ?? '', 200)}`),
        mostLines,
      ),
      `${counted(architecture.interface_contracts.length, 'interface contract')}: ${listed(
        architecture.interface_contracts.map(({ name }) => name),
        10,
      )}`,
    ].join('\n'),
    next: `Approve to let ${counted(squads, 'squad lead')} of ${counted(streams.length, 'workstream')} plan their tasks; reject with a reason to repeat the synthesis.`,
    anomalies: proposals
      .flatMap(([id, proposal]) =>
        (proposal?.open_conflicts ?? []).map((what) => `${id}: open conflict: ${shorten(what, 200)}`),
      )
      .slice(0, 20),
    amendments: amendmentsOf(view),
  }
}

export function tasksSummary(view: View, lists: ReadonlyMap<string, readonly Task[]>): GateSummary {
  const all = [...lists].flatMap(([squad, tasks]) => tasks.map((task) => ({ squad, task })))
  return {
    produced: [
      `${counted(all.length, 'task')} of ${counted(lists.size, 'squad')} (${listed([...lists.keys()], 5)}):`,
      bullets(
        all.map(
          ({ squad, task }) =>
            `${squad} ${task.id}: ${shorten(task.title, 100)}${task.files.length === 0 ? '' : ` (${listed(task.files, 3)})`}${task.depends_on.length === 0 ? '' : ` after ${listed(task.depends_on, 3)}`}`,
        ),
        mostLines,
      ),
    ].join('\n'),
    next: `Approve to start ${counted(all.filter(({ task }) => task.depends_on.length === 0).length, 'implementer')} at once; reject with a reason to let the squad leads plan again.`,
    anomalies: unproven(
      view.run,
      'T3',
      all.map(({ task }) => task),
    ),
    amendments: amendmentsOf(view),
  }
}

export function verdictSummary(view: View, of: string, verdict: JointVerdict): GateSummary {
  return {
    produced: [
      `Joint verdict of ${of}: ${verdict.joint_verdict} — ${shorten(verdict.summary, 1_000)}`,
      bullets(
        verdict.t5_results.map(
          ({ scope, verdict: each, notes }) => `${scope}: ${each}${notes === '' ? '' : ` — ${shorten(notes, 150)}`}`,
        ),
        mostLines,
      ),
    ].join('\n'),
    next: `Approve to complete ${of}; reject with a reason to repeat its tasks.`,
    anomalies: [],
    amendments: amendmentsOf(view),
  }
}
