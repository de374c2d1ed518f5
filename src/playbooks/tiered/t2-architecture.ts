import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { Decision, Needs, View } from '../contract.ts'
import {
  type Acceptance,
  type Architecture,
  type Conflict,
  type Proposal,
  type Synthesis,
  dataOfBrief,
} from './contract.ts'
import { designBriefs, designDocuments, plannedWorkstream, sharedInputs, uniqueSquads } from './t2-design.ts'
import { logEscalation, resolveStep } from './escalate-ladder.ts'
import { documents, keys, wavePart } from './base-names.ts'
import { settingsOf } from './base-settings.ts'
import { openStreams, type Stream } from './t3-squads.ts'
import {
  above,
  budgetOf,
  changed,
  changedRun,
  dataOf,
  ended,
  runOf,
  unsettled,
  type WaveData,
  waveNumber,
} from './base-state.ts'
import { addOrRepeat, addStep, passStep, line, type Step, log } from './base-steps.ts'
import { architectureSummary } from './base-gate-summary.ts'
import { listed } from './base-text.ts'
import { streamsOf, type StreamPart } from './base-waves.ts'

/** Returns the workstreams of a wave whose architecture is still open: the lead has to combine their proposals. */
function designing(view: View, wave: Part): StreamPart[] {
  const { designing: open } = dataOf<WaveData>(wave)
  return streamsOf(view, waveNumber(wave)).filter(({ id }) => open.includes(id))
}

export function architectureNeeds(wave: Part): Needs {
  const { designing: streams } = dataOf<WaveData>(wave)
  const number = waveNumber(wave)
  return {
    documents: [
      ...designDocuments,
      documents.architecture,
      documents.conflicts(number),
      ...streams.map((id) => documents.proposal(id)),
    ],
    briefs: [
      ...designBriefs,
      keys.synthesis(number),
      keys.acceptArchitecture(number),
      ...streams.map((id) => keys.specialist(id)),
    ],
    partsBelow: [wave.key],
    amendments: true,
  }
}

/** Reports whether every other requested proposal has arrived; the current one does not count as settled yet. */
export const isLastProposal = (view: View): boolean =>
  unsettled(view, 't2_specialist', ended) + unsettled(view, 't2_conflict', ended) === 1

/** Stores a proposal; the last one of a wave starts the synthesis by the lead. */
export function onProposal(view: View, brief: Brief, proposal: Proposal): readonly Decision[] {
  const id = dataOfBrief(brief).workstream as string
  const written: Decision[] = [
    { kind: 'write_document', brief, name: documents.proposal(id), content: proposal },
    passStep(brief),
    log(line('T2', 'SPEC_DONE', `${id} architecture draft ready`, { brief })),
  ]
  return isLastProposal(view)
    ? [...written, synthesise(view, { [id]: proposal }, 'the proposals have changed')]
    : written
}

function synthesise(
  view: View,
  newest: Readonly<Record<string, Proposal>>,
  reason: string,
  guidance?: string,
): Decision {
  const wave = above(view, 'wave:')
  const { designing: streams } = dataOf<WaveData>(wave)
  return addOrRepeat(
    view,
    {
      key: keys.synthesis(waveNumber(wave)),
      phase: 't2_synthesis',
      tier: 't2',
      title: 'Bring the proposals together',
      objective:
        'Read every proposal. Name the conflicts, or write the canonical architecture with a slice for each workstream.',
      part: wave.key,
      label: 'synthesis',
      ownerId: view.found.briefs[keys.plan]?.id ?? null,
      inputs: {
        domain_boundaries: view.found.documents[documents.boundaries] ?? null,
        shared_assumptions: view.found.documents[documents.assumptions] ?? null,
        proposals: { ...proposalsOf(view, streams), ...newest },
        ...(guidance === undefined ? {} : { guidance_of_t1: guidance }),
      },
    },
    reason,
  )
}

const proposalsOf = (view: View, streams: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(streams.map((id) => [id, view.found.documents[documents.proposal(id)] ?? null]))

export function onSynthesis(view: View, brief: Brief, synthesis: Synthesis): readonly Decision[] {
  const wave = above(view, 'wave:')
  if (synthesis.conflicts.length > 0) return conflicting(view, wave, brief, synthesis.conflicts)
  const architecture = synthesis.canonical_architecture as Architecture
  return [
    { kind: 'write_document', brief, name: documents.architecture, content: architecture },
    passStep(brief),
    log(line('T2', 'SYNTH_DONE', 'Canonical architecture written to blackboard', { brief })),
    addOrRepeat(view, acceptanceStep(view, waveNumber(wave), architecture), 'the architecture has changed'),
  ]
}

export function faultsOfSynthesis(view: View, { conflicts, canonical_architecture: whole }: Synthesis): string[] {
  const { designing: streams } = dataOf<WaveData>(above(view, 'wave:'))
  const unknown = conflicts
    .flatMap(({ workstreams }) => workstreams)
    .filter((id) => !streams.includes(id))
    .map((id) => `a conflict names "${id}", which has no proposal in this wave`)
  if (conflicts.length > 0) return unknown
  if (whole === undefined) return ['the output must have either conflicts or a canonical_architecture']
  return streams
    .filter((id) => !Object.hasOwn(whole.slices, id))
    .map((id) => `the architecture has no slice for "${id}"`)
}

/** Asks only the specialists concerned again, up to the limit of cycles; then T1 decides, and then the operator. */
function conflicting(view: View, wave: Part, brief: Brief, conflicts: readonly Conflict[]): readonly Decision[] {
  const number = waveNumber(wave)
  const { conflictCycles, conflictRounds = 0, isGuided } = dataOf<WaveData>(wave)
  const written: Decision[] = [
    { kind: 'write_document', brief, name: documents.conflicts(number), content: { conflicts } },
    passStep(brief),
  ]
  const about = shorten(conflicts.map((conflict) => conflict.about).join('; '), 300)
  if (conflictCycles < settingsOf(view.run).conflictCycles)
    return [...written, ...askConcerned(view, wave, conflicts, conflictCycles + 1)]
  if (isGuided)
    return [
      ...written,
      log(line('T2', 'CONFLICT', about, { brief }), [
        changedRun(view, { onResume: { what: 'conflict', wave: number } }),
      ]),
      {
        kind: 'pause_and_ask',
        text: 'The architects do not agree, not even after T1 has decided. Let them try again?',
        context: conflicts.map(({ workstreams, about: what }) => `${workstreams.join(', ')}: ${what}`).join('\n'),
      },
    ]
  return [
    ...written,
    logEscalation({ from: 't2/lead', to: 't1', class: 't2_conflict', reason: about, tier: 'T2', brief }, [
      changed<WaveData>(wave, { isGuided: true, conflictRounds: conflictRounds + 1 }),
    ]),
    addStep(
      view,
      resolveStep({
        key: `resolve:conflict:${number}:${conflictRounds + 1}`,
        rung: 't1',
        part: wave.key,
        workstream: null,
        about: { kind: 'conflict', wave: number, conflicts },
        ladder: [],
        title: 'Settle a conflict of the architects',
        objective: 'The proposals do not fit together and their authors did not agree. Decide how to settle it.',
      }),
    ),
  ]
}

function askConcerned(view: View, wave: Part, conflicts: readonly Conflict[], cycle: number): readonly Decision[] {
  const number = waveNumber(wave)
  const round = (dataOf<WaveData>(wave).conflictRounds ?? 0) + 1
  const concerned = [...new Set(conflicts.flatMap(({ workstreams }) => workstreams))]
  const streams = designing(view, wave).filter(({ id }) => concerned.includes(id))
  return [
    log(
      line('T2', 'CONFLICT', `${listed(concerned, 6)} — cycle ${cycle}`, {
        data: { conflict_cycles: cycle, workstreams: concerned },
      }),
      [changed<WaveData>(wave, { conflictCycles: cycle, conflictRounds: round })],
    ),
    addStep(
      view,
      ...streams.map(({ id, data }): Step => ({
        key: keys.conflict(number, round, id),
        phase: 't2_conflict',
        tier: 't2',
        title: `Settle a conflict of ${data.name}`,
        objective: 'Your proposal and others do not fit together. Rewrite it so that they do.',
        part: wave.key,
        label: `specialist ${id}`,
        workstream: id,
        ownerId: view.found.briefs[keys.lead]?.id ?? null,
        personality: data.specialist,
        domain: data.domain,
        inputs: {
          ...sharedInputs(view, id, data),
          conflicts: conflicts.filter(({ workstreams }) => workstreams.includes(id)),
          proposals: proposalsOf(view, concerned),
        },
      })),
    ),
  ]
}

/** Asks the specialists once more, after the operator has agreed. */
export function retryConflict(view: View, number: number): readonly Decision[] {
  const wave = view.found.parts[wavePart(number)] as Part
  const { conflicts } = view.found.documents[documents.conflicts(number)] as { conflicts: Conflict[] }
  const calm = { ...wave, data: { ...wave.data, isGuided: false, conflictCycles: 0 } }
  return askConcerned(view, calm, conflicts, 1)
}

/** Repeats the synthesis with T1's decision about the conflict. */
export const settleConflict = (view: View, answer: string): Decision =>
  synthesise(view, {}, 'T1 has decided how to settle the conflict', answer)

const acceptanceStep = (view: View, wave: number, architecture: Architecture): Step => ({
  key: keys.acceptArchitecture(wave),
  phase: 't1_accept',
  tier: 't1',
  title: 'Accept the architecture',
  objective: 'Compare the architecture with the goal before anything is built. Accept it, or reject it with a reason.',
  part: wavePart(wave),
  label: 'accept(architecture)',
  ownerId: view.found.briefs[keys.plan]?.id ?? null,
  inputs: { accept_scope: 'architecture', canonical_architecture: architecture },
})

/** Handles T1's decision about the architecture; the operator inspects it next where the gate is on. */
export function onArchitectureAcceptance(view: View, brief: Brief, acceptance: Acceptance): readonly Decision[] {
  const wave = above(view, 'wave:')
  const number = waveNumber(wave)
  const written: Decision[] = [
    { kind: 'write_document', brief, name: documents.acceptance(`architecture/${number}`), content: acceptance },
    passStep(brief),
  ]
  if (acceptance.decision === 'reject') return [...written, ...architectureRejected(view, brief, acceptance.reason)]
  const logged = log(line('T1', 'ACCEPT', 'accept(architecture) ✓', { brief }))
  if (!settingsOf(view.run).gates.t2Synthesis) return [...written, logged, ...startSquads(view, wave)]
  return [
    ...written,
    logged,
    {
      kind: 'open_gate',
      gate: 't2_synthesis',
      part: wave.key,
      summary: architectureSummary(view, designing(view, wave), acceptance),
      message: '⏸ T2 synthesis ready for review',
    },
  ]
}

function architectureRejected(view: View, brief: Brief, reason: string): readonly Decision[] {
  const number = waveNumber(above(view, 'wave:'))
  const rejections = runOf(view).rejections + 1
  const logged = `accept(architecture) ✗ ${shorten(reason, 200)}`
  if (rejections > budgetOf(view))
    return [
      log(line('T1', 'ACCEPT', logged, { brief }), [
        changedRun(view, { rejections, onResume: { what: 'architecture', wave: number, reason } }),
      ]),
      {
        kind: 'pause_and_ask',
        text: `T1 has rejected architectures and results ${rejections} times. Let it continue?`,
        context: reason,
      },
    ]
  return [
    log(line('T1', 'ACCEPT', logged, { brief }), [changedRun(view, { rejections })]),
    redesign(view, number, reason),
  ]
}

/** Sends the architecture back to the lead, with the reason of T1 or the operator. */
export const redesign = (view: View, wave: number, reason: string): Decision => ({
  kind: 'send_back',
  brief: view.found.briefs[keys.synthesis(wave)] as Brief,
  reason,
  class: 'rejected',
})

/** Opens the workstreams of an approved architecture: each specialist hands its slice to its own squads. */
export function startSquads(view: View, wave: Part): readonly Decision[] {
  const architecture = view.found.documents[documents.architecture] as Architecture
  const streams = designing(view, wave)
  return [
    log({ tier: 'T2', level: 'verbose', message: `${counted(streams.length, 'workstream')} designed` }, [
      changed<WaveData>(wave, { designing: [], conflictCycles: 0, isGuided: false }),
      ...streams.map(({ part }) => ({
        key: part.key,
        data: { ...part.data, isDesigned: true },
      })),
    ]),
    ...openStreams(
      view,
      waveNumber(wave),
      streams.map(({ id, data }): Stream => {
        const proposal = view.found.documents[documents.proposal(id)] as Proposal | undefined
        return {
          id,
          data,
          ...(proposal === undefined ? {} : { squads: uniqueSquads(proposal) }),
          planned: plannedWorkstream(view, id),
          ownerId: view.found.briefs[keys.specialist(id)]?.id ?? null,
          slice: {
            ...sharedInputs(view, id, data),
            slice: architecture.slices[id] ?? null,
            interface_contracts: architecture.interface_contracts,
          },
        }
      }),
    ),
  ]
}
