import { describe, expect, it } from 'vitest'

import { startAgency } from '../../../../test/support/api.ts'
import { makeRepository, openRepositories } from '../../../../test/support/repository.ts'
import { freshSqlite } from '../../../../test/support/store.ts'
import { operator } from '../../../../test/support/work.ts'
import type { Runtime } from '../../../adapters/runtime/port.ts'
import { createProgramRuntime } from '../../../adapters/runtime/program/runtime.ts'
import type { CliContext } from '../../../cli/context.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { Endpoint } from '../../../operations/endpoint.ts'
import { fromWire, toWire } from '../../../operations/wire.ts'
import type { Template } from '../../templates/contract.ts'
import { composeRun } from './questions.ts'

type Options = Parameters<typeof composeRun>[1]['options']

const template: Wire<Template> = {
  name: 'fix',
  title: 'Fix',
  description: '',
  ask: 'Which issue?',
  goal: 'Test first.',
  path: null,
  run: {},
  review: null,
  text: null,
}

/** Composes a run on the real services with these answers, in order; no answers: there is no person. */
async function compose(
  options: Options,
  answers: readonly string[] | null = null,
  chosen: Wire<Template> | null = null,
  runtimes: readonly Runtime[] = [],
) {
  const { db } = await freshSqlite()
  const { routes } = await startAgency(db, { ...openRepositories(), runtimes })
  const said: string[] = []
  const asked: string[] = []
  const call = async ({ method, path }: Endpoint, input: object): Promise<unknown> => {
    const route = routes.find(({ operation }) => operation.method === method && operation.path === path)
    if (route === undefined) throw new Error(`no operation at ${path}`)
    const parsed = route.operation.input.parse(fromWire(route.operation.input, input))
    return toWire(route.operation.output, await route.handle(operator, parsed as never))
  }
  const context = { err: (line: string) => void said.push(line), api: () => ({ call }) } as unknown as CliContext
  const left = [...(answers ?? [])]
  const input = await composeRun(context, {
    listed: { templates: [template] },
    template: chosen,
    options,
    ask:
      answers === null
        ? null
        : async (question) => {
            asked.push(question)
            return left.shift() ?? null
          },
    trusted: async (each) => each,
  })
  return { input, said: said.join('\n'), asked, left }
}

describe('a run that is composed on a terminal', () => {
  it('gives the options of an agent that a template names to no other agent', async () => {
    const run = { runtime: 'scripted', runtime_options: { scenario: 'liar' } }
    const composed = (program?: string) =>
      compose({ goal: 'x', ...(program === undefined ? {} : { program }) }, null, { ...template, ask: null, run }, [
        createProgramRuntime(),
      ])
    expect((await composed()).input).toMatchObject({ runtime: 'scripted', runtime_options: { scenario: 'liar' } })
    expect((await composed('my-agent')).input).toHaveProperty('runtime_options', { command: ['my-agent'] })
  })

  it('shows the script of a program to the box of its agent', async () => {
    const composed = (program: string) => compose({ goal: 'List files', program }, null, null, [createProgramRuntime()])
    const { input } = await composed(`node ${import.meta.filename} --fast`)
    expect(input).toMatchObject({ runtime: 'program', readable: [import.meta.filename] })
    expect((await composed('my-agent --fast')).input).not.toHaveProperty('readable')
  })

  it('asks every open question, and again after an answer that cannot be used', async () => {
    const repository = makeRepository({ 'package.json': '{"scripts":{"test":"node --test"}}' })
    const answers = [
      '7',
      'fix',
      '',
      'The page hangs',
      '/nowhere',
      repository.path,
      'none-such',
      'scripted',
      '',
      'team?',
      'one',
      '0',
      '$5',
      'maybe',
      'y',
      'y',
    ]
    const { input, said, asked, left } = await compose({}, answers)
    expect(left).toEqual([])
    expect(input).toMatchObject({
      goal: 'The page hangs\n\nTest first.',
      repo: repository.path,
      runtime: 'scripted',
      evidence: [{ kind: 'command', run: 'npm test' }],
      cost_limit: 5,
      plan_gate: true,
    })
    expect(asked).toContain('Which issue?')
    expect(asked.at(-1)).toBe('Start this simulated run? [Y/n]')
    for (const line of [
      'there is no template "7"',
      'the directory /nowhere does not exist',
      'there is no agent "none-such"',
      'the limit must be an amount above 0',
      'the program "npm" was not found on this machine',
      'No estimate yet: no simulated run of this kind has completed here.',
    ])
      expect(said).toContain(line)
  })

  it('asks nothing that a flag or the template has answered', async () => {
    const given = {
      goal: 'A',
      repo: 'none',
      runtime: 'scripted',
      evidence: ['file:a.txt'],
      depth: 'team',
      usd: 2,
    } as const
    const { input, asked } = await compose({ ...given, evidence: [...given.evidence] }, ['y'], template)
    expect(asked).toEqual(['Start this simulated run? [Y/n]'])
    expect(input).toMatchObject({ playbook: 'tiered', cost_limit: 2, evidence: [{ kind: 'file', path: 'a.txt' }] })
    expect(input).not.toHaveProperty('repo')
  })

  it('starts nothing when the person ends the questions or refuses', async () => {
    expect((await compose({ goal: 'A' }, [''])).input).toBeNull()
    const given = { goal: 'A', repo: 'none', runtime: 'scripted', evidence: ['none'], depth: 'one', usd: 1 } as const
    const refused = await compose({ ...given, evidence: ['none'], planGate: true }, ['n'], template)
    expect(refused.input).toBeNull()
  })
})

describe('a run that is composed by a script', () => {
  it('takes flags and defaults', async () => {
    const { input } = await compose({ goal: 'A', runtime: 'scripted' })
    expect(input).toMatchObject({ goal: 'A', runtime: 'scripted', evidence: [] })
    expect(input).not.toHaveProperty('repo')
  })

  it.each<[string, Options, string]>([
    ['an empty goal', { runtime: 'scripted' }, 'the goal is empty'],
    ['a goal that is too long', { goal: 'x'.repeat(20_001) }, 'at most 20000'],
    ['an unknown agent', { goal: 'A', runtime: 'none-such' }, 'there is no agent "none-such"'],
    ['a missing repository', { goal: 'A', repo: '/nowhere' }, 'the directory /nowhere does not exist'],
  ])('is refused with %s', async (_, options, message) => {
    await expect(compose(options)).rejects.toThrow(message)
  })
})
