import { runPart } from '../../../src/playbooks/tiered/base-names.ts'
import type { ResolvedTeam } from '../../../src/team/contract.ts'
import { asksSeat } from '../../../src/work/questions/resolution.contract.ts'
import type { History, Row } from '../history.ts'
import type { World } from '../world.ts'
import { isTiered, nameOf, stepsInto } from './brief.ts'

/** Checks a tiered run: the plan comes first, groups run in sequence, and the limits of parallelism hold. */
export function watchTiers(world: World): void {
  world.history.watch((event, history) => {
    for (const { after } of stepsInto(event, 'assigned')) {
      const run = history.row('runs', after?.['run_id'] as string) as Row
      if (isTiered(run)) check(history, run, after as Row)
    }
    for (const { before, after } of stepsInto(event, 'pending'))
      if (before?.['status'] === 'draft')
        history.fail('no draft starts before all squads have committed', nameOf(after as Row))
  })
}

function check(history: History, run: Row, brief: Row): void {
  const runId = run['id'] as string
  const refuse = (why: string): void => history.fail('tiers keep their order', `${nameOf(brief)} starts ${why}`)
  // A seat of the organisation may be asked about the plan itself.
  if (brief['cap_key'] !== 't1' && !asksSeat({ key: brief['key'] as string })) {
    // A later replan has a gate of its own, so any approved plan counts.
    const isPlanned = history
      .of('gates', runId)
      .some((gate) => gate['gate'] === 't1_plan' && gate['status'] === 'approved')
    if (!isPlanned) refuse('although no plan was ever approved')
  }
  // Work that was rejected at acceptance is repeated, or planned again, and verified regardless of its group.
  const work = history.row('briefs', (brief['verifies'] ?? brief['id']) as string) ?? brief
  if (work['rejection_reason'] !== null || isRepeated(history, work)) return checkCaps(history, run, brief, refuse)
  const wave = waveOf(history, runId, brief['part'] as string | null)
  for (const part of history.of('parts', runId)) {
    const other = /^wave:(\d+)$/.exec(String(part['parent']))?.[1]
    if (wave !== null && other !== undefined && Number(other) < wave && String(part['key']).startsWith('ws:'))
      if (part['status'] !== 'done' && part['status'] !== 'cancelled')
        refuse(`while ${part['key']} of an earlier group is ${part['status']}`)
  }
  checkCaps(history, run, brief, refuse)
}

function checkCaps(history: History, run: Row, brief: Row, refuse: (why: string) => void): void {
  const { limits } = (JSON.parse(run['configuration'] as string) as { team: ResolvedTeam }).team
  // Agents are limited, not the checks of finished work.
  const working = new Set(
    history
      .of('attempts', run['id'] as string)
      .filter(({ status }) => status === 'launching' || status === 'running')
      .map((attempt) => attempt['brief_id']),
  )
  const atWork = history.of('briefs', run['id'] as string).filter(({ id }) => working.has(id))
  if (atWork.length > limits.maxParallelAgents) refuse(`as one of ${atWork.length}`)
  const tier = brief['cap_key'] as keyof typeof limits.maxParallel
  const alike = atWork.filter((each) => each['cap_key'] === tier).length
  if (alike > (limits.maxParallel[tier] ?? Infinity)) refuse(`as one of ${alike} of ${tier}`)
}

function isRepeated(history: History, brief: Row): boolean {
  const state = history.row('parts', brief['run_id'] as string, runPart)
  const { redo = [] } = JSON.parse(String(state?.['data'] ?? '{}')) as { redo?: readonly unknown[] }
  return redo.includes(brief['group_key'])
}

function waveOf(history: History, runId: string, part: string | null): number | null {
  const parts = new Map(history.of('parts', runId).map((each) => [each['key'], each]))
  for (let key: unknown = part; key !== null && key !== undefined; key = parts.get(key)?.['parent']) {
    const number = /^wave:(\d+)$/.exec(String(key))?.[1]
    if (number !== undefined) return Number(number)
  }
  return null
}
