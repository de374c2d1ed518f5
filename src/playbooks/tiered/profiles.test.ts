import { describe, expect, it } from 'vitest'

import { full, medium, playOn, simple, type Stream } from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/engine.ts'

const phasesOf = (play: Play): string[] => [...new Set([...play.briefs.values()].map(({ phase }) => phase as string))]
const done = (streams: readonly Stream[]): Play => playOn(new Play().start(), { streams })

describe('the three depths', () => {
  it('goes through every tier where everything is needed', () => {
    const play = done([
      { id: 'api', path: full },
      { id: 'infra', path: full },
    ])
    expect(play.run.status).toBe('done')
    expect(phasesOf(play)).toEqual([
      't1_plan', 't1_critique', 't2_lead', 't2_specialist', 't2_synthesis', 't1_accept', 't3_plan', 't4', 't5', 't3_verdict', 't2_summary',
    ]) // prettier-ignore
  })

  it('leaves the architects out where nothing crosses a border', () => {
    const play = done([{ id: 'fix', path: medium }])
    expect(play.run.status).toBe('done')
    expect(phasesOf(play).filter((phase) => phase.startsWith('t2'))).toEqual([])
    expect([...play.documents.keys()].filter((name) => name.includes('architecture'))).toEqual([])
  })

  it('is one task and one verifier where it is trivial', () => {
    const play = done([{ id: 'typo', path: simple }])
    expect(play.run.status).toBe('done')
    expect(play.of('t4')).toHaveLength(1)
    expect(play.of('t5')).toHaveLength(1)
    expect(phasesOf(play)).toEqual(['t1_plan', 't1_critique', 't4', 't5', 't1_accept'])
  })
})
