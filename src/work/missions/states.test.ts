import { describe, expect, it } from 'vitest'

import { canMoveMission, checkMissionMove, type MissionStatus, missionStatuses } from './states.ts'

/** Where a mission may go; where a paused one may go depends on where it was. */
const table: Record<Exclude<MissionStatus, 'paused'>, readonly MissionStatus[]> = {
  backlog: ['planning', 'cancelled'],
  planning: ['assigned', 'failed', 'paused', 'cancelled'],
  assigned: ['in_progress', 'failed', 'paused', 'cancelled'],
  in_progress: ['review', 'failed', 'paused', 'cancelled'],
  review: ['in_progress', 'done', 'failed', 'paused', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
}

const pairs = (Object.keys(table) as (keyof typeof table)[]).flatMap((from) =>
  missionStatuses.map((to) => [from, to] as const),
)

describe.each(pairs)('a mission in %s', (from, to) => {
  const move = () => checkMissionMove(from, to, null)
  if (table[from].includes(to))
    it(`becomes ${to}`, () => {
      expect(canMoveMission(from, to, null)).toBe(true)
      expect(move).not.toThrow()
    })
  else
    it(`cannot become ${to}`, () => {
      expect(canMoveMission(from, to, null)).toBe(false)
      expect(move).toThrow(
        expect.objectContaining({
          code: 'illegal_transition',
          message: `a mission cannot go from ${from} to ${to}`,
          data: { from, to },
        }),
      )
    })
})

it.each(['planning', 'assigned', 'in_progress', 'review'] as const)(
  'goes from paused only back to %s, its previous status, or to cancelled',
  (was) => {
    expect(missionStatuses.filter((to) => canMoveMission('paused', to, was))).toEqual([was, 'cancelled'])
    expect(() => checkMissionMove('paused', 'done', was)).toThrow(
      expect.objectContaining({
        code: 'illegal_transition',
        hint: `From paused a mission can become: ${was}, cancelled.`,
      }),
    )
  },
)
