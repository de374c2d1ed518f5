import type { Workspace } from './port.ts'

/** Without a box: the process is started as it is, and nobody looks at what it uses. */
export const enterPlainly =
  (directory: string): Workspace['enter'] =>
  async ({ command, environment }) => ({
    command,
    environment,
    directory,
    boxed: false,
    watch: () => {},
    leave: async () => ({ memoryMb: 0, processes: 0, diskMb: 0 }),
  })
