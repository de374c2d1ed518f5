import type { TemplateDocument } from '../work/templates/contract.ts'

/** The templates that every installation has. None names a command: the proofs are those of the repository at hand. */
export const runTemplates: ReadonlyMap<string, TemplateDocument> = new Map<string, TemplateDocument>([
  [
    'fix-issue',
    {
      title: 'Fix an issue',
      description: 'Reproduces a fault with a test, then mends it.',
      ask: 'Which issue? Paste it, or describe what happens and what should happen.',
      goal: 'Reproduce the issue with a test that fails first. Then mend its cause with the smallest change that makes the test pass. Do not change what other tests expect.',
      playbook: 'direct',
    },
  ],
  [
    'add-flag',
    {
      title: 'Add a flag',
      description: 'Adds an option to a command, with help, test and documentation.',
      ask: 'Which command, which flag, and what should it do?',
      goal: 'Follow the way in which the existing options are declared. Add the flag to the help text and to the documentation, and test it with and without the flag.',
      playbook: 'direct',
    },
  ],
  [
    'write-tests',
    {
      title: 'Write tests',
      description: 'Adds tests for existing code and leaves the code as it is.',
      ask: 'Tests for which part of the code?',
      goal: 'Write tests that state the behaviour of this code, its edge cases and its errors. Break the code once to see each test fail, and restore it. Change no code that is not a test; list the faults that you find instead.',
      playbook: 'direct',
    },
  ],
  [
    'review',
    {
      title: 'Review',
      description: 'Reads code and writes down what it finds; changes nothing else.',
      ask: 'What should be reviewed?',
      goal: 'Read the code and write what you find into review.md: faults first, each with file, line, what happens and how to mend it; then risks; then what is good. Change no other file.',
      playbook: 'direct',
      evidence: [{ kind: 'file', path: 'review.md', minBytes: 1 }],
    },
  ],
  [
    'team',
    {
      title: 'Team',
      description: 'A large goal for five tiers: plan, design, squads, workers, verifiers.',
      ask: 'What should the team build?',
      goal: '',
      playbook: 'tiered',
    },
  ],
])
