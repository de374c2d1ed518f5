import { expect, it } from 'vitest'

import { turns } from '../support/model-server/script.ts'
import { makeRepository } from '../support/repository.ts'
import { hasEnded, install } from './installation.ts'
import { bash, report } from './replies.ts'

it('changes a repository in a clone of its own; the change waits as a pull request, and lands when it is approved', async () => {
  const repository = makeRepository({
    'CLAUDE.md': 'Use tabs, says the repository.\n',
    'sum.mjs': 'export const sum = (a, b) => a - b\n',
    'test.mjs': `import { sum } from './sum.mjs'\nif (sum(2, 3) !== 5) throw new Error('wrong')\n`,
    '.claude/settings.json': JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch hook-ran' }] }] },
    }),
  })
  const before = repository.git('rev-parse', 'HEAD')
  const { run, until, daemon, model } = await install([
    turns([
      { tools: [bash('node test.mjs; ls')] },
      { tools: [{ name: 'Read', input: { file_path: 'sum.mjs' } }] },
      { tools: [{ name: 'Edit', input: { file_path: 'sum.mjs', old_string: 'a - b', new_string: 'a + b' } }] },
      {
        tools: [
          bash('node test.mjs && git add sum.mjs && git commit -qm "Add, not subtract" && git log --oneline | wc -l'),
        ],
      },
      report('Sums add.'),
    ]),
  ])
  const evidence = [{ kind: 'command', run: 'node test.mjs' }]
  const id = await run({ goal: 'Mend the sum', repo: repository.path, evidence })
  const gated = await until(id, (shown) => hasEnded(shown) || shown.run['gates_pending'] === 1)
  expect(gated.run.status).toBe('accepting')
  expect(gated.evidence).toMatchObject([{ passed: true, boxed: true }])
  expect(model.asked[0]?.system).toContain('Use tabs, says the repository.')
  const [tried] = model.asked[1]?.toolResults ?? []
  expect(tried?.text).toContain('Error: wrong')
  expect(tried?.text).not.toContain('hook-ran')
  expect(repository.git('rev-parse', 'HEAD')).toBe(before)

  expect(JSON.stringify(await daemon.ask('GET', `/runs/${id}/diff`))).toContain('+export const sum = (a, b) => a + b')
  await daemon.ask('POST', `/gates/${id}/approve`, { gate: 'merge' })
  expect((await until(id, hasEnded)).run.status).toBe('done')
  expect(repository.read('sum.mjs')).toBe('export const sum = (a, b) => a + b\n')
  expect(repository.git('log', '--format=%s')).toContain('Add, not subtract')
})
