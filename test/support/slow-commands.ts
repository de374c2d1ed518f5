import { createMemoryWorkspaces } from '../../src/workspaces/memory.ts'
import type { CommandLimits, CommandResult, Workspaces } from '../../src/workspaces/port.ts'

export interface SlowCommands {
  readonly workspaces: Workspaces
  /** Resolves when the first command has begun. */
  readonly begun: Promise<void>
  /** Number of commands that run now. */
  running(): number
  /** Number of commands that have begun. */
  count(): number
  /** Lets every running command succeed. */
  finish(): void
}

/** Workspaces in memory; their commands last until they are ended or released. A second look at them is short. */
export function slowCommands(): SlowCommands {
  const memory = createMemoryWorkspaces()
  const running = new Set<{ finish(result: Partial<CommandResult>): void }>()
  let count = 0
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const done: CommandResult = {
    exitCode: 0,
    signal: null,
    timedOut: false,
    output: '',
    outputSha256: '',
    durationMs: 0,
    boxed: true,
  }
  const run = ({ signal }: CommandLimits): Promise<CommandResult> => {
    count++
    const { promise, resolve } = Promise.withResolvers<CommandResult>()
    const each = {
      finish: (result: Partial<CommandResult>) => {
        running.delete(each)
        resolve({ ...done, ...result })
      },
    }
    running.add(each)
    begin()
    signal?.addEventListener('abort', () => each.finish({ exitCode: null, signal: 'SIGTERM' }))
    return promise
  }
  return {
    workspaces: {
      ...memory,
      checkout: async (request) => ({
        ...(await memory.checkout(request)),
        boxed: true,
        run: (_command, limits) => (request.id.endsWith('.again') ? Promise.resolve(done) : run(limits)),
      }),
    },
    begun,
    running: () => running.size,
    count: () => count,
    finish: () => running.forEach((each) => each.finish({})),
  }
}
