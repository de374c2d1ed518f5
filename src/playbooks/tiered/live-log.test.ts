import { expect, it } from 'vitest'

import {
  aProposal,
  aTask,
  either,
  failing,
  full,
  inTurn,
  medium,
  output,
  playOn,
  simple,
  type Otherwise,
  type Stream,
} from '../../../test/support/tiered/agents.ts'
import { Play } from '../../../test/support/tiered/play.ts'

const seven = ({ phase, inputs }: { phase: string | null; inputs: Record<string, unknown> }) => {
  if (phase !== 't3_plan') return null
  const squad = (inputs['squad'] as { id: string }).id
  return output({
    tasks:
      squad === 'ingest'
        ? [
            aTask('receiver'),
            aTask('auth-middleware'),
            aTask('signature', { depends_on: ['receiver'] }),
            aTask('queue-client'),
          ]
        : [aTask(`${squad}-schema`), aTask(`${squad}-writer`, { depends_on: [`${squad}-schema`] })],
  })
}

const profiles: Readonly<Record<string, { streams: readonly Stream[]; otherwise?: Otherwise }>> = {
  full: {
    streams: [
      { id: 'backend-api', path: full, domain: 'backend' },
      { id: 'infra', path: full },
      { id: 'docs', path: simple, group: 'B' },
    ],
    otherwise: either(
      (brief) => (brief.key === 't2-spec:backend-api' ? output(aProposal('backend', ['ingest', 'store'])) : null),
      seven,
      inTurn(({ key }) => key === 'verify:t4:backend-api:ingest:queue-client:1', failing('it loses messages')),
    ),
  },
  medium: { streams: [{ id: 'config', path: medium }] },
  simple: {
    streams: [{ id: 'typo', path: simple }],
    otherwise: inTurn(({ phase }) => phase === 't5', failing('still wrong')),
  },
}

it.each(Object.entries(profiles))('logs a %s run like its golden text', async (name, script) => {
  const run = await playOn(await Play.start({ goal: 'Build a webhook ingestion system' }), script)
  expect(run.run.status).toBe('done')
  const lines = run.lines
    .filter(({ level }) => level === 'normal')
    .map(({ tier, code, message }) =>
      `${tier.padEnd(5)}${code.padEnd(14)}${message}`.replace(/\b(?:brf|run|gat)_\w+/g, '…'),
    )
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`golden/live-log.${name}.txt`)
})
