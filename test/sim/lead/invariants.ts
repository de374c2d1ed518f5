import type { Hop } from '../../../src/work/questions/contract.ts'
import { hasEndedBrief, nameOf } from '../invariants/brief.ts'
import type { History, Row, SeenEvent, Step } from '../history.ts'
import type { World } from '../world.ts'

/** Checks that a question reaches the holder that its hop names, and that no other agent answers it. */
export function watchLadder(world: World): void {
  const released = new Map<string, Released>()
  world.history.watch((event, history) => {
    for (const step of event.steps) {
      if (step.table === 'questions') checkQuestion(world, history, step)
      if (step.table === 'briefs') noteRelease(history, event, step, released)
    }
  })
  world.history.inspect((_, history) => {
    for (const { brief, waiting } of released.values())
      for (const id of waiting)
        if (history.row('questions', id)?.['answered_at'] === null)
          history.fail('a brief waits for its last answer', `${nameOf(brief)} continues although ${id} is open`)
    released.clear()
  })
}

function checkQuestion(world: World, history: History, { before, after }: Step): void {
  if (after === null) return
  const id = after['id'] as string
  const hops = hopsOf(after)
  if (before !== null && hops.length > hopsOf(before).length) {
    const hop = hops.at(-1) as Hop
    const refuse = (why: string): void => history.fail('a hop has somebody who is asked', `${id} at ${hop.to}: ${why}`)
    if (hop.rank !== hops.length) refuse(`its rank is ${hop.rank}, not ${hops.length}`)
    if (hop.skipped === undefined) checkHop(world, history, after, hop, refuse)
  }
  if (after['answered_at'] !== null && before?.['answered_at'] === null && after['status'] === 'answered')
    checkAnswer(history, before, after)
}

function checkHop(world: World, history: History, question: Row, { to }: Hop, refuse: (why: string) => void): void {
  if (to === 'operator') {
    if (question['status'] !== 'with_operator') refuse(`the question is ${question['status']}`)
    return
  }
  const asked = history.row('briefs', (question['resolve_brief_id'] ?? '') as string)
  if (asked === undefined) return refuse('nobody got a brief about it')
  if (hasEndedBrief(asked)) refuse(`${nameOf(asked)} is ${asked['status']} already`)
  if (asked['owner_id'] !== question['brief_id']) refuse(`${nameOf(asked)} is about another brief`)
  const stuck = history.row('briefs', question['brief_id'] as string)
  if (to.startsWith('lead:') && asked['position_id'] !== world.leadSeat) refuse(`${nameOf(asked)} is for another seat`)
  if (asked['persona_id'] === stuck?.['persona_id'] && to.startsWith('lead:'))
    history.fail('nobody answers its own question', `${id(question)} is handed to its own asker`)
}

/** The answer of an agent is that of the brief that has the question; another persona works on it than the asker. */
function checkAnswer(history: History, before: Row, after: Row): void {
  const by = String(after['answered_by'])
  if (by === 'operator' || by === 'daemon') return
  const refuse = (why: string): void =>
    history.fail('nobody answers its own question', `${id(after)} is answered by ${by}: ${why}`)
  const resolving = history.row('briefs', (before['resolve_brief_id'] ?? '') as string)
  if (resolving === undefined) return refuse('no brief has it')
  const stuck = history.row('briefs', after['brief_id'] as string)
  if (stuck === undefined) return refuse('it is about no brief')
  if (resolving['position_id'] !== null && resolving['persona_id'] === stuck['persona_id'])
    refuse('it is the persona that asked')
}

interface Released {
  readonly brief: Row
  /** The questions that were open at that moment. */
  readonly waiting: readonly string[]
}

/** A brief that continues has no open question left, or the same commit withdraws it. */
function noteRelease(
  history: History,
  event: SeenEvent,
  { before, after }: Step,
  released: Map<string, Released>,
): void {
  if (after === null || before?.['status'] !== 'blocked' || after['status'] !== 'pending') return
  const waiting = history
    .of('questions', after['run_id'] as string)
    .filter((question) => question['brief_id'] === after['id'] && question['answered_at'] === null)
    .map(id)
  if (waiting.length > 0) released.set(`${event.position}`, { brief: after, waiting })
}

const id = (question: Row): string => question['id'] as string

const hopsOf = (question: Row): Hop[] => JSON.parse(question['hops'] as string) as Hop[]
