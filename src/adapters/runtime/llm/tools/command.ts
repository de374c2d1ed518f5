import { z } from 'zod'

import type { ResourceUse, Workspace } from '../../../../workspaces/port.ts'
import type { Denied } from '../../port.ts'
import { isIrreversible } from './irreversible.ts'
import { defineTool, failed, type Tool } from './tool.ts'

const maxOutputBytes = 32 * 1024
const defaultSeconds = 120
const maxSeconds = 600

export interface Commands {
  readonly workspace: Workspace
  /** Commands that cannot be undone need approval. */
  readonly isCautious: boolean
  /** Rules of the commands that the operator has allowed since. */
  readonly allowed: readonly string[]
  readonly denied: (denied: Denied) => void
  readonly used: (used: ResourceUse) => void
}

/** Runs shell commands, in the box if there is one. */
export const commandTool = ({ workspace, isCautious, allowed, denied, used }: Commands): Tool =>
  defineTool({
    name: 'run_command',
    description:
      'Runs a shell command in the workspace and returns its exit code and output, at most 32 KB of it. Every process that it starts ends with it.',
    input: z.object({
      command: z.string().min(1).max(100_000),
      timeoutSeconds: z.number().int().min(1).max(maxSeconds).default(defaultSeconds),
    }),
    subject: ({ command }) => command,
    run: async ({ command, timeoutSeconds }, signal) => {
      const rule = `run_command(${command})`
      if (isCautious && isIrreversible(command) && !allowed.includes(rule)) {
        denied({ rule, what: `run_command: ${command.replace(/\s+/g, ' ')}` })
        return failed(
          'not allowed without approval, because it cannot be undone. Use another way, or report your results so far: the operator will be asked.',
        )
      }
      const result = await workspace.run(command, { timeoutMs: timeoutSeconds * 1_000, maxOutputBytes, signal })
      if (result.used !== undefined) used(result.used)
      const end = result.timedOut
        ? `timed out after ${timeoutSeconds} seconds`
        : result.exitCode === null
          ? result.signal === null
            ? 'could not be run, or its end is not known'
            : `killed by ${result.signal}`
          : `exit code ${result.exitCode}`
      return { text: `${end}\n${result.output}`, isError: result.exitCode !== 0 }
    },
  })
