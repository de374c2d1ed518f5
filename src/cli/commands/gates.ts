import { Option } from 'commander'

import type { DecideOptions, GatesOptions } from '../../work/gates/cli.ts'
import type { QuestionsOptions } from '../../work/questions/cli.ts'
import type { Declaring } from './declaring.ts'
import { reference, whole } from './values.ts'

/** What waits for a person, and how a person decides it. */
export function declareGateCommands({ program, offer, command, does }: Declaring): void {
  offer('Decisions:', 'gates', () => {
    command(program, 'gates', 'Gates that wait for a decision, over all runs', 'agency gates')
      .addOption(
        new Option('--status <status>', 'Others than the pending ones').choices([
          'pending',
          'approved',
          'rejected',
          'expired',
        ]),
      )
      .option('--limit <n>', 'At most so many', whole(1, 500))
      .option('--json', 'As JSON')
      .action(does(async (c, options: GatesOptions) => (await import('../../work/gates/cli.ts')).listGates(c, options)))
  })
  offer('Decisions:', 'approve', () => {
    command(
      program,
      'approve',
      'Let a gated run go on',
      'agency approve run_7k2',
      'agency approve gat_7k2 --note "ship it"',
    )
      .argument('<run-or-gate>', 'A run, or the beginning of its id, or a gate', reference)
      .option('--gate <kind>', 'Which gate of the run: plan, acceptance, merge …')
      .option('--note <text>', 'Kept with the decision')
      .option('--as <person>', 'Who approves, where several have to')
      .option('--json', 'As JSON')
      .action(
        does(async (c, target: string, options: DecideOptions & { note?: string }) =>
          (await import('../../work/gates/cli.ts')).approveGate(c, target, options),
        ),
      )
  })
  offer('Decisions:', 'reject', () => {
    command(
      program,
      'reject',
      'Send what was produced back, with the reason',
      'agency reject run_7k2 --reason "the second part is missing"',
    )
      .argument('<run-or-gate>', 'A run, or the beginning of its id, or a gate', reference)
      .requiredOption('--reason <text>', 'Why; whoever does it again reads it')
      .option('--gate <kind>', 'Which gate of the run: plan, acceptance, merge …')
      .option('--as <person>', 'Who rejects')
      .option('--json', 'As JSON')
      .action(
        does(async (c, target: string, options: DecideOptions & { reason: string }) =>
          (await import('../../work/gates/cli.ts')).rejectGate(c, target, options),
        ),
      )
  })
  offer('Decisions:', 'pause', () => {
    command(program, 'pause', 'Start nothing new in a run; agents at work finish', 'agency pause run_7k2')
      .argument('<run>', 'Its id, or the beginning of it', reference)
      .option('--reason <text>', 'Why')
      .option('--json', 'As JSON')
      .action(
        does(async (c, run: string, options: { reason?: string; json?: true }) =>
          (await import('../../work/gates/cli.ts')).pauseRun(c, run, options),
        ),
      )
  })
  offer('Decisions:', 'questions', () => {
    command(program, 'questions', 'Questions that wait for an answer, first come first', 'agency questions')
      .option('--run <id>', 'Only of this run')
      .option('--all', 'Answered ones too, the newest first')
      .option('--limit <n>', 'At most so many', whole(1, 500))
      .option('--json', 'As JSON')
      .action(
        does(async (c, options: QuestionsOptions) =>
          (await import('../../work/questions/cli.ts')).listQuestions(c, options),
        ),
      )
  })
  offer('Decisions:', 'question', () => {
    const question = command(program, 'question', 'Look at one question, or say that you have seen it')
    command(question, 'show', 'One question with its options', 'agency question show qst_7k2')
      .argument('<question>', 'Its id', reference)
      .option('--json', 'As JSON')
      .action(
        does(async (c, id: string, options: { json?: true }) =>
          (await import('../../work/questions/cli.ts')).showQuestion(c, id, options),
        ),
      )
    command(question, 'ack', 'Say that you have seen it; it is not answered by that', 'agency question ack qst_7k2')
      .argument('<question>', 'Its id', reference)
      .option('--json', 'As JSON')
      .action(
        does(async (c, id: string, options: { json?: true }) =>
          (await import('../../work/questions/cli.ts')).acknowledgeQuestion(c, id, options),
        ),
      )
  })
  offer('Decisions:', 'answer', () => {
    command(
      program,
      'answer',
      'Answer a question: the key of an option, or your own words',
      'agency answer qst_7k2 retry',
      'agency answer qst_7k2 "Use the European date format"',
    )
      .argument('<question>', 'Its id', reference)
      .argument('<answer>', 'An option’s key, or your own words')
      .option('--json', 'As JSON')
      .action(
        does(async (c, id: string, answer: string, options: { json?: true }) =>
          (await import('../../work/questions/cli.ts')).answerQuestion(c, id, answer, options),
        ),
      )
  })
  offer('Decisions:', 'reply', () => {
    command(
      program,
      'reply',
      'Decide in plain words, as in a reply to a message',
      'agency reply approve',
      'agency reply "reject: the second part is missing"',
    )
      .argument('<text>', 'approve, reject: <reason>, answer <question>: <text>, or an option')
      .option('--from <person>', 'Who says it, where several have to approve')
      .option('--json', 'As JSON')
      .action(
        does(async (c, text: string, options: { from?: string; json?: true }) =>
          (await import('../../work/gates/cli.ts')).reply(c, text, options),
        ),
      )
  })
}
