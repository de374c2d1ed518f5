import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { turns } from '../support/model-server/script.ts'
import { makeRepository } from '../support/repository.ts'
import { modulesVariable } from './agents.setup.ts'
import { hasEnded, install } from './installation.ts'
import { bash, report } from './replies.ts'

it('changes a repository in a clone; the change becomes a pull request and lands when it is approved', async () => {
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
  const id = await run({ goal: 'Repair the sum', repo: repository.path, evidence })
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

it('repairs a published package: its tests fail before and pass after, and the diff contains only the repair', async () => {
  const folder = join(process.env[modulesVariable] ?? '', 'inherits')
  const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const whole = files['inherits.js'] ?? ''
  const broken = 'module.exports = function inherits() {}\n'
  const repository = makeRepository({ ...files, 'inherits.js': broken })
  expect(() => repository.run(process.execPath, 'test.js')).toThrow('AssertionError')
  // The diff of the repair according to git, made by hand on another branch.
  repository.git('checkout', '-qb', 'mended')
  repository.write('inherits.js', whole)
  repository.commit('By hand')
  const mend = repository.git('diff', 'main', 'mended')
  repository.git('checkout', '-q', 'main')

  const { run, until, daemon } = await install([
    turns([
      { tools: [bash('npm test')] },
      { tools: [{ name: 'Read', input: { file_path: 'inherits.js' } }] },
      { tools: [{ name: 'Edit', input: { file_path: 'inherits.js', old_string: broken, new_string: whole } }] },
      { tools: [bash('npm test')] },
      report('Inherits again.'),
    ]),
  ])
  const id = await run({
    goal: 'Make the tests pass',
    repo: repository.path,
    base: 'main',
    evidence: [{ kind: 'command', run: 'npm test' }],
  })
  const gated = await until(id, (shown) => hasEnded(shown) || shown.run['gates_pending'] === 1)
  expect(gated.evidence).toMatchObject([{ passed: true, boxed: true }])
  expect(gated.attempts).toMatchObject([{ outcome: 'ok', boxed: true }])
  const diff = (await daemon.ask('GET', `/runs/${id}/diff`)) as { text: string }
  expect(diff.text.trim()).toBe(mend)
  await daemon.ask('POST', `/gates/${id}/approve`, { gate: 'merge' })
  expect((await until(id, hasEnded)).run.status).toBe('done')
  expect(repository.run(process.execPath, 'test.js')).toBe('ok')
})
