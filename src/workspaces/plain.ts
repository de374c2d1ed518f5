import type { Workspace } from './port.ts'

/** Without a box: the process is started as it is, and nobody looks at what it uses. */
export const enterPlainly =
  (directory: string): Workspace['enter'] =>
  async ({ command, environment }) => ({
    command,
    environment,
    directory,
    boxed: false,
    hasStatus: false,
    watch: () => {},
    signal: signalGroup,
    leave: async () => null,
  })

/** What is started in a workspace leads a group of its own. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
