import { describe, expect, it } from 'vitest'

import { full, medium, playOn, simple, type Stream } from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/play.ts'

const phasesOf = (play: Play): string[] => [...new Set([...play.briefs.values()].map(({ phase }) => phase as string))]
const done = async (streams: readonly Stream[]): Promise<Play> => playOn(await Play.start(), { streams })

describe('the depth of a path', () => {
  it('includes every tier for a full path', async () => {
    const play = await done([
      { id: 'api', path: full },
      { id: 'infra', path: full },
    ])
    expect(play.run.status).toBe('done')
    expect(phasesOf(play)).toEqual([
      't1_plan', 't1_critique', 't2_lead', 't2_specialist', 't2_synthesis', 't1_accept', 't3_plan', 't4', 't5', 't3_verdict', 't2_summary',
    ]) // prettier-ignore
  })

  it('leaves out T2 for a path without it', async () => {
    const play = await done([{ id: 'fix', path: medium }])
    expect(play.run.status).toBe('done')
    expect(phasesOf(play).filter((phase) => phase.startsWith('t2'))).toEqual([])
    expect(play.documents().filter((name) => name.includes('architecture'))).toEqual([])
  })

  it('is one task and one verifier for the shortest path', async () => {
    const play = await done([{ id: 'typo', path: simple }])
    expect(play.run.status).toBe('done')
    expect(play.of('t4')).toHaveLength(1)
    expect(play.of('t5')).toHaveLength(1)
    expect(phasesOf(play)).toEqual(['t1_plan', 't1_critique', 't4', 't5', 't1_accept'])
  })
})
