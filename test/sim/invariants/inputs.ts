import type { InputSeen } from '../../../src/work/attempts/contract.ts'
import type { History, Row, Step } from '../history.ts'
import type { World } from '../world.ts'
import { nameOf } from './brief.ts'

const rule = 'an attempt sees the version that was accepted'

/** Checks every handed-over file when its attempt starts: it is an output of the newest accepted attempt of its maker. */
export function watchInputs({ history }: World): void {
  history.watch((event, seen) => {
    for (const step of event.steps) if (step.table === 'attempts') checkInputs(seen, step)
  })
}

function checkInputs(history: History, { before, after }: Step): void {
  if (after === null || after['inputs_seen'] === before?.['inputs_seen']) return
  for (const input of JSON.parse((after['inputs_seen'] ?? '[]') as string) as InputSeen[]) {
    const maker = newestAccepted(history, input.brief)
    const outputs = JSON.parse((maker?.['outputs'] ?? '[]') as string) as { path: string; sha256: string }[]
    const isOfMaker = outputs.some(({ path, sha256 }) => path === input.path && sha256 === input.sha256)
    if (isOfMaker && Number(maker?.['fence']) === input.attempt) continue
    const brief = history.row('briefs', after['brief_id'] as string) as Row
    history.fail(rule, `${nameOf(brief)} is handed ${input.path} of attempt ${input.attempt} of ${input.brief}`)
  }
}

const newestAccepted = (history: History, briefId: string): Row | undefined =>
  [...history.rows('attempts').values()]
    .filter(({ brief_id: id, outcome }) => id === briefId && (outcome === 'ok' || outcome === 'partial_output'))
    .toSorted((one, other) => Number(one['fence']) - Number(other['fence']))
    .at(-1)
