import type { OutputOptions } from '../../work/attempts/cli.ts'
import type { Declaring } from './declaring.ts'

export function declareOutputCommand({ program, offer, command, does }: Declaring): void {
  offer('Work:', 'output', () => {
    command(program, 'output', 'What an agent printed, as it prints it', 'agency output run_7k2 --follow')
      .argument('<attempt|run>', 'An attempt’s id; of a run, its attempt at work or the last one')
      .option('--follow', 'Go on until the attempt has ended')
      .option('--json', 'One part per line, with the byte to go on at')
      .action(
        does(async (c, id: string, options: OutputOptions) =>
          (await import('../../work/attempts/cli.ts')).showOutput(c, id, options),
        ),
      )
  })
}
