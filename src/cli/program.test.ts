import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'

import { OrganisationStatus } from '../org/organisations/contract.ts'
import { documentOperations } from '../org/document/contract.ts'
import { PersonaKind, PersonaSubtype } from '../org/personas/contract.ts'
import { Authority } from '../org/positions/contract.ts'
import { gateStatuses } from '../work/gates/contract.ts'
import { missionStatuses } from '../work/missions/states.ts'
import { playbooks } from '../compose.ts'
import { Priority } from '../work/missions/contract.ts'
import { noteCategories, NoteStatus } from '../work/notes/contract.ts'
import { RunState } from '../work/runs/contract.ts'
import type { Client } from '../client/client.ts'
import { createContext } from './context.ts'
import { buildProgram, UsageError } from './program.ts'

const tree = (): Command => buildProgram(createContext({ AGENCY_HOME: '/nonexistent' }), () => {})
const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
const find = (...path: string[]): Command =>
  path.reduce((command, name) => command.commands.find((each) => each.name() === name) as Command, tree())
const choices = (command: Command, flag: string): unknown =>
  command.options.find(({ long }) => long === flag)?.argChoices

async function refused(...words: string[]): Promise<UsageError> {
  const error = await tree()
    .parseAsync(words, { from: 'user' })
    .catch((failure: unknown) => failure)
  if (error instanceof UsageError) return error
  throw error instanceof Error ? error : new Error('it was accepted')
}

describe('help', () => {
  it.each(leaves(tree()).map((command) => [command.name(), command] as const))(
    'of %s is short and has an example',
    (name, command) => {
      let text = ''
      command.configureOutput({ writeOut: (part) => (text += part) })
      command.outputHelp()
      expect(command.description()).not.toBe('')
      expect(text).toMatch(new RegExp(`Example:\\n.*agency.*${name}`))
      expect(text.split('\n').length).toBeLessThan(36)
      for (const option of command.options) expect(option.long).toMatch(/^--[a-z-]+$/)
    },
  )
})

it('help of org shows everything below it', () => {
  let text = ''
  find('org')
    .configureOutput({ writeOut: (part) => (text += part) })
    .outputHelp()
  for (const leaf of leaves(find('org'))) {
    const path = leaf.parent?.name() === 'org' ? leaf.name() : `${leaf.parent?.name()} ${leaf.name()}`
    expect(text).toMatch(new RegExp(`^  .*\\b${path} .*${leaf.description().slice(0, 20)}`, 'm'))
  }
})

it.each([
  [['budget', 'set', '--org', 'shop', '--tokens', 'off'], { tokens: null }],
  [['budget', 'set', '--run', 'run_1', '--usd', 'none'], { usd: null }],
  [['budget', 'set', '--run', 'run_1', '--tokens', '5'], { tokens: 5 }],
  [['run', 'x', '--idle-minutes', 'off', '--hard-minutes', 'off'], { idle_minutes: null, hard_minutes: null }],
  [['org', 'update', '--org', 'shop', '--lead-position', 'none', '--json'], { lead_position_id: null }],
  [
    ['mission', 'create', 'x', '--token-budget', '200000', '--cost-limit', '5.00'],
    { token_budget: 200_000, cost_limit: 5 },
  ],
  [['mission', 'create', 'x', '--assignee', 'kim', '--parent', 'mis_1'], { assignee: 'kim', parent_mission: 'mis_1' }],
])('%j asks the daemon for %j', async (words, expected) => {
  const asked: unknown[] = []
  const client = {
    call: async (_: unknown, input: unknown) => {
      asked.push(input)
      throw new Error('no daemon')
    },
  }
  const context = { ...createContext({ AGENCY_HOME: '/nonexistent' }), api: () => client as unknown as Client }
  await buildProgram(context, () => {})
    .parseAsync(words, { from: 'user' })
    .catch(() => {})
  expect(asked).toContainEqual(expect.objectContaining(expected))
})

describe('a wrong command line', () => {
  it.each([
    [['stauts'], "unknown command 'stauts'; did you mean status?", 'agency --help'],
    [['status', '--jsn'], "unknown option '--jsn'; did you mean --json?", 'agency status --help'],
    [['run'], "missing argument 'goal', or --plan <file>", 'agency run --help'],
    [['run', 'x', '--preview'], '--preview shows a plan: add --plan <file>', 'agency run --help'],
    [
      ['watch', 'a', 'b'],
      "too many arguments for 'watch'. Expected 1 argument but got 2: a, b.",
      'agency watch --help',
    ],
    [['mission'], 'agency mission needs a command; available: create, list, show, set, amend', 'agency mission --help'],
    [['jobs', '--lmit', '3'], "unknown option '--lmit'; did you mean --limit?", 'agency jobs list --help'],
    [['jobs', 'retry'], "missing required argument 'job'", 'agency jobs retry --help'],
    [['mission', 'shwo'], "unknown command 'shwo'; did you mean show?", 'agency mission --help'],
    [['up', '--port', '99999'], /'99999' is invalid. It must be a whole number from 0 to 65535.$/, 'agency up --help'],
    [
      ['run', 'x', '--idle-minutes', '-3'],
      /invalid. It must be a positive number of minutes, or "off".$/,
      'agency run --help',
    ],
    [['run', ' '], 'the goal is empty: describe what the run should achieve', 'agency run --help'],
    [
      ['demo', 'nope'],
      /'nope' is invalid for argument 'name'. Allowed choices are tiered, direct, liar.$/,
      'agency demo --help',
    ],
    [['demo', 'direct', '--profile', 'full'], /^--profile is for tiered/, 'agency demo --help'],
    [['mission', 'amend', 'r'], "required option '--reason <text>' not specified", 'agency mission amend --help'],
    [
      ['mission', 'amend', 'r', '--reason', 'x'],
      'nothing would change: add --plan <file> or --workstream <id>',
      'agency mission amend --help',
    ],
    [
      ['mission', 'amend', 'r', '--reason', 'x', '--plan', 'plan.yaml', '--add-tiers', 't2'],
      '--plan and --workstream cannot be given together',
      'agency mission amend --help',
    ],
    [['mission', 'amend', 'r', '--remove-tiers', 't5'], /t5 is mandatory.$/, 'agency mission amend --help'],
    [
      ['mission', 'amend', 'r', '--workstream', 'api', '--reason', 'x'],
      'nothing would change: add --add-tiers <tiers> or --remove-tiers <tiers>',
      'agency mission amend --help',
    ],
    [['persona', 'list'], "unknown command 'persona'; use agency org persona list", 'agency org persona list --help'],
    [['position'], "unknown command 'position'; use agency org position", 'agency org position --help'],
    [['org', 'tree'], "required option '--org <org>' not specified", 'agency org tree --help'],
    [['org', 'show', '--org', ' '], /' ' is invalid. It must be an id, a slug or a name.$/, 'agency org show --help'],
    [['cancel', ''], /'' is invalid for argument 'run'. It must be an id, a slug or a name.$/, 'agency cancel --help'],
    [
      ['resume', '..'],
      /'..' is invalid for argument 'run'. It must be an id, a slug or a name.$/,
      'agency resume --help',
    ],
    [['org', 'show', '--org', '..'], /'..' is invalid. It must be an id, a slug or a name.$/, 'agency org show --help'],
    [
      ['report', '--status', 'perfect', '--summary', 'x'],
      /Allowed choices are done, partial, blocked.$/,
      'agency report --help',
    ],
  ] as const)('%j prints one line and the command for help', async (words, message, hint) => {
    const error = await refused(...words)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('\n')
    expect(error.hint).toBe(hint)
  })
})

describe('a limit of a budget', () => {
  const set = (...words: string[]) => refused('budget', 'set', '--org', 'x', ...words)

  it.each(['0', '-5', '1.5', '1e6', '0x10', 'abc', '', 'Infinity', '1000000000001'])(
    'is not %j tokens',
    async (text) => {
      expect((await set('--tokens', text)).message).toMatch(
        /invalid. It must be a whole number from 1 to 1000000000000.$/,
      )
    },
  )

  it.each(['0', '-5', '1e3', '0x10', 'abc', '', 'Infinity', '1000001', '$'])('is not %j dollars', async (text) => {
    expect((await set('--usd', text)).message).toMatch(/invalid. It must be an amount in US dollars of at most 1000000/)
  })
})

/** The command line loads no contract, so it repeats these; here they are held against each other. */
describe('the choices of options', () => {
  it('match those of the contracts', () => {
    expect(choices(find('runs'), '--status')).toEqual(RunState.options)
    expect(choices(find('gates'), '--status')).toEqual(gateStatuses)
    expect(choices(find('mission', 'list'), '--status')).toEqual(missionStatuses)
    expect(choices(find('mission', 'set'), '--status')).toEqual(missionStatuses)
    expect(choices(find('mission', 'create'), '--priority')).toEqual(Priority.options)
    expect(choices(find('run'), '--priority')).toEqual(Priority.options)
    for (const verb of ['add', 'resolve', 'escalate'])
      expect(choices(find('note', verb), '--category')).toEqual(noteCategories)
    expect(choices(find('note', 'list'), '--status')).toEqual(NoteStatus.options)
    expect(choices(find('run'), '--playbook')).toEqual([...playbooks.keys()])
    expect(choices(find('org', 'update'), '--status')).toEqual(OrganisationStatus.options)
    expect(choices(find('org', 'export'), '--format')).toEqual(
      documentOperations.export.input.shape.format.unwrap().options,
    )
    expect(choices(find('org', 'persona', 'create'), '--type')).toEqual(PersonaKind.options)
    expect(choices(find('org', 'persona', 'create'), '--subtype')).toEqual(PersonaSubtype.options)
    for (const verb of ['set', 'clear'])
      expect(choices(find('org', 'position', 'authority', verb), '--kind')).toEqual(Authority.shape.kind.options)
    expect(choices(find('org', 'position', 'authority', 'set'), '--on-breach')).toEqual(
      Authority.shape.onBreach.options,
    )
  })
})
