import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { z } from 'zod'

import { refusal } from '../../../kernel/errors.ts'
import { shellCommand } from '../../../workspaces/quote.ts'
import { readOutbox } from '../outbox.ts'
import type { Runtime, RuntimeEvent } from '../port.ts'
import { startProcess } from '../process.ts'
import { readUsageLine } from '../usage-lines.ts'

const hint = 'Give {"command": ["program", "argument", …]}.'

const Options = z.strictObject({
  command: z.tuple([z.string().min(1)], z.string()).refine((words) => words.every((word) => !word.includes('\0')), {
    error: 'contains a NUL character',
  }),
})

/**
 * Runs any program that reads a prompt and produces a result: a report through CLI, MCP or HTTP, a JSON object with
 * `status` and `summary` as its last line, or a report in the outbox.
 */
export function createProgramRuntime({ graceMs }: { readonly graceMs?: number } = {}): Runtime {
  return {
    name: 'program',
    title: 'Your own program',
    capabilities: { simulated: false, boxed: true, evidenceUnboxed: true, send: false, resume: false, fixed: true },
    available: async () => ({ ok: true }),
    fields: [{ name: 'command', label: 'Command', isCommand: true, isRequired: true }],
    checkOptions: (options) => mustExist(commandOf(options)[0]),
    startsOf: ({ command }) => (command === undefined ? [] : [{ where: 'program', text: commandText(command) }]),
    launch: async (launch) =>
      startProcess({
        launch,
        command: commandOf(launch.options),
        readLine: readUsageLine,
        readResult: async (lastLine) => [...(await readOutbox(launch.workspace)), ...reportIn(lastLine)],
        ...(graceMs === undefined ? {} : { graceMs }),
      }),
  }
}

/** Returns the whole command as one would type it; options of another runtime may have any form. */
const commandText = (command: unknown): string =>
  Array.isArray(command) && command.every((word) => typeof word === 'string')
    ? shellCommand(command)
    : JSON.stringify(command)

function commandOf(options: Record<string, unknown>): [string, ...string[]] {
  const parsed = Options.safeParse(options)
  if (parsed.success) return parsed.data.command
  const [issue] = parsed.error.issues
  const path = z.core.toDotPath(issue?.path ?? [])
  throw refusal('invalid_input', `the program runtime: ${path === '' ? '' : `${path}: `}${issue?.message}`, { hint })
}

/** A relative path is resolved in the workspace, which does not exist yet, so it is not checked. */
function mustExist(program: string): void {
  const directories = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(delimiter)
  if (program.includes('/') && !program.startsWith('/')) return
  if (!directories.some((directory) => isExecutable(join(directory, program))))
    throw refusal('invalid_input', `program "${program}" was not found`, {
      hint: 'Give the absolute path of the program, or install it.',
    })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function reportIn(line: string): RuntimeEvent[] {
  if (!line.trimStart().startsWith('{')) return []
  try {
    const report = JSON.parse(line) as Record<string, unknown>
    return 'status' in report && 'summary' in report ? [{ kind: 'report', report, from: 'printed' }] : []
  } catch {
    return []
  }
}
