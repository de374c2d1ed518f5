import type { StepInput } from '../../src/adapters/runtime/scripted/contract.ts'
import { boxHere } from '../support/box-here.ts'

/** The request of a kind of run, and its expected result regardless of deaths. */
export interface RunKind {
  readonly name: string
  readonly input: Record<string, unknown>
  readonly briefs: Readonly<Record<string, ExpectedBrief>>
  /** Gates that the operator has to approve. */
  readonly gates: readonly string[]
  /** Beginnings of the names of chaos points that only runs of this kind pass. */
  readonly passes?: readonly string[]
  /** True: each request has a repository of its own, in which the outputs land once. */
  readonly inRepository?: true
  /** True: it belongs to an organisation whose lead is an agent. */
  readonly hasLead?: true
}

export interface ExpectedBrief {
  readonly after: readonly string[]
  readonly evidence: number
  /** Outputs and their text. */
  readonly outputs: Readonly<Record<string, string>>
  /** Outcome of the first attempt unless it is interrupted; later attempts succeed. */
  readonly first: 'ok' | 'bad_output' | 'crash' | 'blocked'
  /** Whether a verifier has to pass the brief. */
  readonly judged: boolean
}

/** Takes a while, and leaves a file if two agents ever work in one workspace. */
const alone = 'flock -n lock sleep 0.1; [ $? -ne 1 ] || touch overlap'
const working: StepInput = { run: alone }

const report = (outputs: string[], via: 'http' | 'cli' | 'file' | 'stdout' = 'http'): StepInput => ({
  report: { status: 'done', summary: `Wrote ${outputs.join(', ')}.`, outputs, via },
})

const expected = (fields: Partial<ExpectedBrief>): ExpectedBrief => ({
  after: [],
  evidence: 1,
  outputs: {},
  first: 'ok',
  judged: false,
  ...fields,
})

/** Keeps working after its report, which must count even if the daemon dies then. */
const plain: RunKind = {
  name: 'plain',
  input: {
    goal: 'Write a word',
    runtime: 'scripted',
    runtime_options: {
      scenario: {
        steps: [
          { log: 'Reading the brief' },
          working,
          { usage: { input_tokens: 100, output_tokens: 10 } },
          { write: { path: 'word.txt', text: 'river\n' } },
          report(['word.txt']),
          { run: 'sleep 0.1' },
        ],
      },
    },
  },
  briefs: { main: expected({ outputs: { 'word.txt': 'river\n' }, judged: true }) },
  gates: [],
}

const mended: RunKind = {
  name: 'mended',
  input: {
    goal: 'Get it right',
    runtime: 'scripted',
    evidence: [
      { kind: 'file', path: 'answer.txt', contains: 'right' },
      { kind: 'command', run: 'sleep 0.05; grep -qx right answer.txt' },
    ],
    runtime_options: {
      scenario: {
        attempts: [
          [working, { write: { path: 'answer.txt', text: 'wrong\n' } }, report(['answer.txt'])],
          [working, { write: { path: 'answer.txt', text: 'right\n' } }, report(['answer.txt'])],
        ],
      },
    },
  },
  briefs: { main: expected({ evidence: 2, outputs: { 'answer.txt': 'right\n' }, first: 'bad_output' }) },
  gates: [],
}

/** The first attempt starts a process outside its process group and crashes. */
const crashing: RunKind = {
  name: 'crashing',
  input: {
    goal: 'Fall and get up',
    runtime: 'scripted',
    runtime_options: {
      scenario: {
        attempts: [
          [working, { spawn_child: { escape: true } }, { crash: { signal: 'SIGSEGV' } }],
          [working, { write: { path: 'up.txt', text: 'up again\n' } }, report(['up.txt'])],
        ],
      },
    },
  },
  briefs: { main: expected({ outputs: { 'up.txt': 'up again\n' }, first: 'crash', judged: true }) },
  gates: [],
}

/** Four briefs that depend on each other, each with another way to report. */
const chained: RunKind = {
  name: 'chained',
  input: {
    goal: 'Build it in four parts',
    runtime: 'scripted',
    briefs: [
      part('ground', [], 'http'),
      part('left', ['ground'], 'cli'),
      part('right', ['ground'], 'file'),
      part('roof', ['left', 'right'], 'stdout'),
    ],
  },
  briefs: Object.fromEntries(
    Object.entries({ ground: [], left: ['ground'], right: ['ground'], roof: ['left', 'right'] }).map(([key, after]) => [
      key,
      expected({ after, outputs: { [`${key}.txt`]: `${key}\n` }, judged: true }),
    ]),
  ),
  gates: [],
}

function part(key: string, after: string[], via: 'http' | 'cli' | 'file' | 'stdout'): Record<string, unknown> {
  const path = `${key}.txt`
  const steps = [working, { write: { path, text: `${key}\n` } }, report([path], via)]
  return { key, after, objective: `Write ${path}`, runtime_options: { scenario: { steps } } }
}

/** Without a box, a person accepts the result of a program. */
const unboxedGates = boxHere.ok ? [] : ['acceptance']

/** A plain program instead of a scripted agent, which writes its report into the outbox. */
const program: RunKind = {
  name: 'program',
  input: {
    goal: 'Let a program do it',
    runtime: 'program',
    runtime_options: {
      command: [
        '/bin/sh',
        '-c',
        `cat > prompt.txt; ${alone}; echo made > made.txt
echo '{"status":"done","summary":"Made it.","outputs":["made.txt"]}' > .agency/outbox/report.json`,
      ],
    },
    evidence: [{ kind: 'artifact', path: 'made.txt' }],
  },
  briefs: { main: expected({ outputs: { 'made.txt': 'made\n' } }) },
  gates: unboxedGates,
}

/** A brief without checkable evidence, whose verifier, a program, fails it once. */
const judged: RunKind = {
  name: 'judged',
  input: {
    goal: 'Please the taster',
    runtime: 'scripted',
    runtime_options: {
      scenario: {
        attempts: [
          [working, { write: { path: 'taste.txt', text: 'bitter\n' } }, report(['taste.txt'])],
          [working, { write: { path: 'taste.txt', text: 'sweet\n' } }, report(['taste.txt'])],
        ],
      },
    },
    verifier_runtime: 'program',
    verifier_options: {
      command: [
        '/bin/sh',
        '-c',
        `if grep -qx sweet taste.txt
then agency report --summary 'Tasted it.' --verdict pass --checked taste.txt=sweet
else agency report --summary 'Tasted it.' --verdict fail --issue 'taste.txt is bitter'
fi`,
      ],
    },
  },
  briefs: { main: expected({ outputs: { 'taste.txt': 'sweet\n' }, judged: true }) },
  gates: unboxedGates,
}

/** A run planned by an agent; the operator approves the plan and the result. */
const decided: RunKind = {
  name: 'decided',
  input: {
    goal: 'Build what was approved',
    runtime: 'scripted',
    planner: true,
    plan_gate: true,
    acceptance: 'operator',
    verify: 'none',
    runtime_options: {
      scenario: {
        plan: [[working, { report: { summary: 'One part.', plan: [{ key: 'house', objective: 'Build it' }] } }]],
        steps: [working, { write: { path: 'house.txt', text: 'built\n' } }, report(['house.txt'], 'file')],
      },
    },
  },
  briefs: { house: expected({ outputs: { 'house.txt': 'built\n' } }) },
  gates: ['plan', 'acceptance'],
  passes: ['gate.'],
}

/** The first attempt is blocked by a question. */
const asking: RunKind = {
  name: 'asking',
  input: {
    goal: 'Paint it in the right colour',
    runtime: 'scripted',
    evidence: [{ kind: 'file', path: 'colour.txt' }],
    runtime_options: {
      scenario: {
        attempts: [
          [working, { report: { status: 'blocked', summary: 'Which colour?', question: { text: 'Which colour?' } } }],
          [working, { write: { path: 'colour.txt', text: 'blue\n' } }, report(['colour.txt'])],
        ],
      },
    },
  },
  briefs: { main: expected({ outputs: { 'colour.txt': 'blue\n' }, first: 'blocked' }) },
  gates: [],
  passes: ['question.'],
}

/** The first attempt is blocked by a question, which the agent on the seat that leads answers. */
const led: RunKind = {
  name: 'led',
  input: {
    goal: 'Paint it as the lead says',
    runtime: 'scripted',
    evidence: [{ kind: 'file', path: 'colour.txt' }],
    runtime_options: {
      scenario: {
        attempts: [
          [working, { report: { status: 'blocked', summary: 'Which colour?', question: { text: 'Which colour?' } } }],
          [working, { write: { path: 'colour.txt', text: 'green\n' } }, report(['colour.txt'])],
        ],
        phases: {
          resolve: {
            steps: [
              working,
              {
                report: { summary: 'Decided.', output: { decision: 'answer', answer: 'green', reason: 'It is ours.' } },
              },
            ],
          },
        },
      },
    },
  },
  briefs: { main: expected({ outputs: { 'colour.txt': 'green\n' }, first: 'blocked' }) },
  gates: [],
  hasLead: true,
}

/** Two briefs whose work is merged and lands in a repository when the operator approves it. */
const merged: RunKind = {
  name: 'merged',
  input: {
    goal: 'Build two walls',
    runtime: 'scripted',
    briefs: ['north', 'south'].map((key) => ({
      ...part(key, [], key === 'north' ? 'file' : 'http'),
      evidence: [
        { kind: 'file', path: `${key}.txt` },
        { kind: 'command', run: `sleep 0.05; grep -qx ${key} ${key}.txt` },
      ],
    })),
  },
  briefs: Object.fromEntries(
    ['north', 'south'].map((key) => [key, expected({ evidence: 2, outputs: { [`${key}.txt`]: `${key}\n` } })]),
  ),
  gates: ['merge'],
  passes: ['gate.', 'branch.', 'result.', 'proof.'],
  inRepository: true,
}

export const runKinds: readonly RunKind[] = [
  plain,
  mended,
  crashing,
  chained,
  program,
  judged,
  decided,
  asking,
  led,
  merged,
]
