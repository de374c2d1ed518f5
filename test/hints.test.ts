import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'

import { createContext } from '../src/cli/context.ts'
import { buildProgram } from '../src/cli/program.ts'
import { programWords } from '../src/work/runs/cli/arguments.ts'
import { collectHints, commandsIn, type Hint, hintsInMarkdown, hintsInSource } from './support/hints.ts'

const root = resolve(import.meta.dirname, '..')
const context = createContext({ AGENCY_HOME: '/nonexistent' })

/** Parses a command line with the real program, without calling its handler; returns null, or the usage error. */
async function usageError({ command, isDocument }: Pick<Hint, 'command' | 'isDocument'>): Promise<string | null> {
  const words = programWords(
    command
      .replace(/<[^<>]*>/g, '<value>')
      .replace(/[[\]]/g, ' ')
      .replace(/(?<=\S)…$/, ' …'),
  ).map(withoutAlternatives)
  const program = buildProgram(context, () => {}, words[0])
  if (isDocument && isName(program, words)) return null
  for (const each of commandsBelow(program)) prepare(each)
  try {
    await program.parseAsync(words, { from: 'user' })
    return null
  } catch (error) {
    // Help and version end this way too.
    return (error as { exitCode?: number }).exitCode === 0 ? null : (error as Error).message
  }
}

/** `full|medium|simple` stands for any of them. */
const withoutAlternatives = (word: string): string =>
  /^[\w-]+(\|[\w-]+)+$/.test(word) ? (word.split('|')[0] as string) : word

const isPlaceholder = (text: string): boolean => /[<>…]|\.\.\.|^[A-Z][A-Z_-]*$/.test(text)

const commandsBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsBelow)]

/** Replaces the handler, and lets a placeholder stand where a number or a choice is expected. */
function prepare(command: Command): void {
  if (command.commands.length === 0) command.action(() => {})
  command.configureOutput({ writeOut: () => {} })
  for (const each of [...command.options, ...command.registeredArguments]) {
    const parse = each.parseArg as ((text: string, before: unknown) => unknown) | undefined
    if (parse !== undefined)
      each.parseArg = ((text: string, before: unknown) => (isPlaceholder(text) ? text : parse(text, before))) as never
  }
}

/** `agency approve` in a document names the command; so does `agency org …`. */
function isName(program: Command, words: readonly string[]): boolean {
  let command: Command | undefined = program
  for (const word of words.filter((each) => each !== '…'))
    command = command?.commands.find((each) => each.name() === word)
  return command !== undefined
}

const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const hints = collectHints(root, ['src', 'web'], documents)

describe('every command line that a message, prompt or document mentions', () => {
  it('is found', () => {
    expect(hints.filter(({ isDocument }) => !isDocument).length).toBeGreaterThan(150)
    expect(hints.filter(({ isDocument }) => isDocument).length).toBeGreaterThan(50)
    for (const file of ['README.md', 'src/cli/commands/run.ts', 'src/work/runs/cli/watch.ts'])
      expect(
        hints.some((hint) => hint.file === file),
        file,
      ).toBe(true)
  })

  it('is one that the program accepts', async () => {
    const wrong: string[] = []
    for (const hint of hints) {
      const error = await usageError(hint)
      if (error !== null) wrong.push(`${hint.file}:${hint.line}: agency ${hint.command}: ${error}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('a wrong hint', () => {
  it.each([
    ['const a = \'Use "agency persona restore --slug x".\'', /unknown command 'persona'/],
    ['const a = `agency approve ${id} --loudly`', /unknown option '--loudly'/],
    ["const a = 'agency answer qst_1'", /missing required argument 'answer'/],
    ["const a = 'agency org tree'", /required option '--org <org>' not specified/],
    ["const a = 'agency runs --status asleep'", /Allowed choices are/],
    ["const a = 'agency doctor says more.'", /too many arguments/],
    ['const a = <p>Run <code>agency inspct {run.id}</code></p>', /unknown command 'inspct'/],
  ])('is refused: %s', async (text, message) => {
    const [hint] = hintsInSource('planted.tsx', text)
    expect(await usageError(hint as Hint)).toMatch(message)
  })

  it('is refused in documents', async () => {
    const found = hintsInMarkdown('planted.md', 'Type `agency aprove run_1`.\n\n```\n$ agency runs --lmit 3\n```\n')
    expect(await Promise.all(found.map(usageError))).toEqual([
      expect.stringMatching(/unknown command 'aprove'/),
      expect.stringMatching(/unknown option '--lmit'/),
    ])
  })
})

it.each([
  ['Start it with "agency up", then repeat.', ['up']],
  ['paused (agency resume run_1)', ['resume run_1']],
  ['agency org export --org a | agency org validate', ['org export --org a', 'org validate']],
  [`agency run "Write; read" --evidence 'command:a | b'`, [`run "Write; read" --evidence 'command:a | b'`]],
  ['the folder .agency holds it, and agency-agents too', []],
])('command lines are taken out of their sentence: %s', (text, commands) => {
  expect(commandsIn(text)).toEqual(commands)
})
