import type { Decision, Playbook, Trigger, View } from '../contract.ts'

/**
 * Plain work: the goal is one brief (or a list that the operator wrote), evidence decides, and when nothing is open
 * any more the run is done. There is no lead to ask: a brief that is stuck has failed.
 */
export const direct: Playbook = { name: 'direct', decide }

function decide(view: View, trigger: Trigger): readonly Decision[] {
  const { run } = view
  switch (trigger.kind) {
    case 'run_started':
      return [
        { kind: 'create_briefs', briefs: trigger.briefs.length > 0 ? trigger.briefs : [briefOfGoal(run.goalAnchor)] },
      ]
    case 'brief_ready':
      return [{ kind: 'pass_brief', brief: trigger.brief, reason: 'its evidence holds' }]
    case 'brief_verified':
      return [{ kind: 'close_brief', brief: trigger.brief }, ...endIfLast(view, 1)]
    case 'brief_blocked':
      return [{ kind: 'fail_brief', brief: trigger.brief, reason: trigger.reason }]
    case 'brief_cancelled':
      return endIfLast(view, 0)
    case 'brief_failed':
    case 'siblings_ended':
      // What is already running may finish; nothing new starts in a run that has failed.
      return view.liveAttempts > 0
        ? []
        : [{ kind: 'end_run', status: 'failed', summary: `${counted(run.briefsFailed, 'brief')} failed` }]
  }
}

/** `closing` briefs are still counted as open and will not be after this decision. */
function endIfLast(view: View, closing: number): readonly Decision[] {
  const { run } = view
  if (run.briefsFailed > 0) return decide(view, { kind: 'siblings_ended' })
  if (run.briefsOpen - closing > 0) return []
  return run.briefsDone + closing === 0
    ? [{ kind: 'end_run', status: 'cancelled', summary: 'every brief was cancelled' }]
    : [
        {
          kind: 'end_run',
          status: 'done',
          summary: `${counted(run.briefsDone + closing, 'brief')} done, evidence checked`,
        },
      ]
}

const briefOfGoal = (goal: string) => ({ key: 'main', objective: goal, after: [] })

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
