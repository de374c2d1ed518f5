import { killGroup } from '../processes/kill-group.ts'
import type { Workspace } from './port.ts'

/** Prepares a process without a box: it is started unchanged, and its resource use is not measured. */
export const enterDirectly =
  (directory: string): Workspace['enter'] =>
  async ({ command, environment }) => ({
    command,
    environment,
    directory,
    boxed: false,
    init: null,
    watch: () => {},
    // A process that is started in a workspace leads a group of its own.
    signal: killGroup,
    leave: async () => null,
  })
