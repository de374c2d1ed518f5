import type { Brief } from '../../work/briefs/contract.ts'
import type { ResultsRequest } from '../../work/results/contract.ts'
import type { Decision, View } from '../contract.ts'
import type { IntegrationSummary } from './contract.ts'
import { documents, keys, runPart } from './base-names.ts'
import { runOf } from './base-state.ts'
import { addOrRepeat, passStep, line, type Step, log } from './base-steps.ts'

/** Every workstream is done: the lead architect summarises the integration, then T1 compares the result with the goal. */
export function finishWork(view: View): readonly Decision[] {
  const before = 'workstreams were repeated'
  return runOf(view).lead === 'done'
    ? [addOrRepeat(view, summaryStep(view), before)]
    : [addOrRepeat(view, acceptStep(view, null), before)]
}

/** The engine replaces it by the outputs, checks and verdicts of the run when the step starts. */
const wholeRun: ResultsRequest = {}

const summaryStep = (view: View): Step => ({
  key: keys.summary,
  phase: 't2_summary',
  tier: 't2',
  title: 'Sum up the integration',
  objective: 'Every workstream is done. Describe how the pieces fit together, and your concerns.',
  part: runPart,
  label: 'integration summary',
  ownerId: view.found.briefs[keys.plan]?.id ?? null,
  inputs: { canonical_architecture: view.found.documents[documents.architecture] ?? null, results: wholeRun },
})

export function onSummary(view: View, brief: Brief, summary: IntegrationSummary): readonly Decision[] {
  return [
    { kind: 'write_document', brief, name: documents.integration, content: summary },
    passStep(brief),
    log(line('T2', 'DONE', 'Integration summary written', { brief })),
    addOrRepeat(view, acceptStep(view, summary), 'the result has changed'),
  ]
}

function acceptStep(view: View, summary: IntegrationSummary | null): Step {
  return {
    key: keys.acceptFinal,
    phase: 't1_accept',
    tier: 't1',
    title: 'Accept the result',
    objective:
      'Compare the result with the goal. Accept it, or reject it and name the workstreams and what each has to change.',
    part: runPart,
    label: 'accept(final)',
    ownerId: view.found.briefs[keys.plan]?.id ?? null,
    receives: view.found.work ?? [],
    inputs: {
      accept_scope: 'final',
      documents: [documents.plan],
      results: wholeRun,
      ...(summary === null ? {} : { integration_summary: summary }),
      amendments: view.found.amendments.map(({ workstream, beforePath, afterPath, reason }) => ({
        workstream,
        before: beforePath,
        after: afterPath,
        reason,
      })),
    },
  }
}
