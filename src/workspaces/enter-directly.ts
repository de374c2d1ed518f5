import { killGroup } from '../processes/kill-group.ts'
import type { Workspace } from './port.ts'

/** Without a box: the process is started as it is, and nobody looks at what it uses. */
export const enterDirectly =
  (directory: string): Workspace['enter'] =>
  async ({ command, environment }) => ({
    command,
    environment,
    directory,
    boxed: false,
    hasStatus: false,
    watch: () => {},
    // A process that is started in a workspace leads a group of its own.
    signal: killGroup,
    leave: async () => null,
  })
