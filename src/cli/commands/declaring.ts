import type { Command } from 'commander'

import type { CliContext } from '../context.ts'

export type Face<Args extends unknown[]> = (context: CliContext, ...args: Args) => Promise<number>

/** What a file of commands gets to declare them with. */
export interface Declaring {
  program: Command
  /** A command under a heading of the help; declared only when it is called or listed. */
  offer(group: string, name: string, declare: () => void): void
  command(parent: Command, usage: string, summary: string, ...examples: string[]): Command
  /** Runs the face with the context and takes its exit code. */
  does<Args extends unknown[]>(face: Face<Args>): (...args: unknown[]) => Promise<void>
  /** Every command, also where only one was declared. */
  wholeTree(): Command
}
