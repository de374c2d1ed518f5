import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { aBrief, aRun, aView } from '../../../test/support/work.ts'
import type { BriefSpec } from '../../work/briefs/contract.ts'
import type { Decision, PlaybookEvent, Seen } from '../contract.ts'
import { direct } from './decide.ts'

const brief = aBrief()
const seen: Seen = { report: { status: 'done', summary: 'Done.', outputs: [] }, findings: [], outputs: [] }
const decide = (event: PlaybookEvent, run = aRun(), liveAttempts = 0) =>
  direct.decide(aView({ run, liveAttempts }), event)

describe('the start of a run', () => {
  it('creates one brief from the goal', () => {
    expect(decide({ kind: 'run_started', briefs: [] }, aRun({ goalAnchor: 'Paint it black' }))).toEqual([
      { kind: 'create_briefs', briefs: [{ key: 'main', objective: 'Paint it black', after: [] }] },
    ])
  })

  it('creates the operator’s own briefs unchanged', () => {
    const briefs: BriefSpec[] = [
      { key: 'a', objective: 'first', after: [] },
      { key: 'b', objective: 'second', after: ['a'] },
    ]
    expect(decide({ kind: 'run_started', briefs })).toEqual([{ kind: 'create_briefs', briefs }])
  })
})

it('passes a brief whose evidence holds without a verifier', () => {
  expect(decide({ kind: 'brief_ready', brief, seen })).toEqual([
    { kind: 'pass_brief', brief, reason: 'its evidence holds' },
  ])
})

it('fails a blocked brief, because there is no lead to ask', () => {
  expect(decide({ kind: 'brief_blocked', brief, class: 'bad_output', reason: 'no key' })).toEqual([
    { kind: 'fail_brief', brief, reason: 'no key' },
  ])
})

describe('a verified brief', () => {
  const verified: PlaybookEvent = { kind: 'brief_verified', brief }

  it('is closed, and the run continues while other briefs are open', () => {
    expect(decide(verified, aRun({ briefsTotal: 2, briefsOpen: 2 }))).toEqual([{ kind: 'close_brief', brief }])
  })

  it('ends the run when no other brief is open', () => {
    expect(decide(verified, aRun({ briefsTotal: 3, briefsOpen: 1, briefsDone: 2 }))).toEqual([
      { kind: 'close_brief', brief },
      { kind: 'end_run', status: 'done', summary: '3 briefs done, evidence checked' },
    ])
  })

  it('ends a failed run only when no other attempt is running', () => {
    const failed = aRun({ briefsTotal: 3, briefsOpen: 2, briefsFailed: 1 })
    expect(decide(verified, failed, 1)).toEqual([{ kind: 'close_brief', brief }])
    expect(decide(verified, failed, 0)).toEqual([
      { kind: 'close_brief', brief },
      { kind: 'end_run', status: 'failed', summary: '1 brief failed' },
    ])
  })
})

describe('a failed brief', () => {
  const run = aRun({ briefsTotal: 4, briefsOpen: 2, briefsFailed: 2 })

  it.each([{ kind: 'brief_failed', brief } as const, { kind: 'siblings_ended' } as const])(
    'is not surfaced while its siblings are at work ($kind)',
    (event) => {
      expect(decide(event, run, 1)).toEqual([])
      expect(decide(event, run, 0)).toEqual([{ kind: 'end_run', status: 'failed', summary: '2 briefs failed' }])
    },
  )
})

describe('a cancelled brief', () => {
  const cancelled: PlaybookEvent = { kind: 'brief_cancelled', brief, wasVerified: false }

  it('does not affect the other briefs', () => {
    expect(decide(cancelled, aRun({ briefsTotal: 2, briefsOpen: 1 }))).toEqual([])
  })

  it('cancels the run when no brief was done', () => {
    expect(decide(cancelled, aRun({ briefsTotal: 2, briefsOpen: 0 }))).toEqual([
      { kind: 'end_run', status: 'cancelled', summary: 'every brief was cancelled' },
    ])
  })

  it('completes the run when all other briefs are done', () => {
    expect(decide(cancelled, aRun({ briefsTotal: 2, briefsOpen: 0, briefsDone: 1 }))).toEqual([
      { kind: 'end_run', status: 'done', summary: '1 brief done, evidence checked' },
    ])
  })
})

/** A possible next step of a run, if it has a brief for it. */
const Step = fc.constantFrom('launch', 'succeed', 'retry', 'fail', 'block', 'cancel')

it('ends every run exactly once for any outcomes of its briefs, and a failed run only when no attempt is running', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(Step, { maxLength: 80 }), (count, steps) => {
      const played = playRun(count, steps)
      expect(played.ends).toHaveLength(1)
      expect(played.endedWithLive).toBe(0)
      const { run, everFailed } = played
      expect(played.ends[0]?.status).toBe(everFailed ? 'failed' : run.briefsDone > 0 ? 'done' : 'cancelled')
      if (!everFailed) expect(run.briefsOpen).toBe(0)
    }),
    { numRuns: 500 },
  )
})

/** Plays a run without an engine: applies the decisions to counters, and ends all remaining briefs after the steps. */
function playRun(count: number, steps: readonly string[]) {
  let run = aRun({ briefsTotal: count, briefsOpen: count })
  let pending = count
  let live = 0
  const ends: Extract<Decision, { kind: 'end_run' }>[] = []
  let endedWithLive = -1

  const happen = (event: PlaybookEvent): void => {
    for (const decision of direct.decide(aView({ run, liveAttempts: live }), event)) {
      if (decision.kind === 'pass_brief') happen({ kind: 'brief_verified', brief })
      else if (decision.kind === 'close_brief')
        run = { ...run, briefsOpen: run.briefsOpen - 1, briefsDone: run.briefsDone + 1 }
      else if (decision.kind === 'fail_brief') fail()
      else if (decision.kind === 'end_run') {
        ends.push(decision)
        endedWithLive = live
      }
    }
  }
  const fail = (): void => {
    run = { ...run, briefsOpen: run.briefsOpen - 1, briefsFailed: run.briefsFailed + 1 }
    happen({ kind: 'brief_failed', brief })
  }
  const endAttempt = (what: string): void => {
    live--
    if (what === 'succeed') happen({ kind: 'brief_ready', brief, seen })
    if (what === 'fail') fail()
    if (what === 'block') happen({ kind: 'brief_blocked', brief, class: 'bad_output', reason: 'stuck' })
    if (what === 'retry') pending++
    if (run.briefsFailed > 0 && ends.length === 0) happen({ kind: 'siblings_ended' })
  }
  const play = (what: string): void => {
    if (what === 'launch' && pending > 0 && run.briefsFailed === 0) {
      pending--
      live++
    } else if (what === 'cancel' && pending > 0) {
      pending--
      run = { ...run, briefsOpen: run.briefsOpen - 1 }
      happen({ kind: 'brief_cancelled', brief, wasVerified: false })
    } else if (['succeed', 'fail', 'block', 'retry'].includes(what) && live > 0) endAttempt(what)
  }

  for (const what of steps) if (ends.length === 0) play(what)
  // Bounded, so that a run that never ends is a failure and not a hanging test.
  for (let left = 2 * count; left > 0 && ends.length === 0; left--) {
    play('launch')
    play('succeed')
  }
  return { run, ends, endedWithLive, everFailed: run.briefsFailed > 0 }
}
