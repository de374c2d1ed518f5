import type { StepInput } from '../../src/adapters/runtime/scripted/contract.ts'

/** What every run of a kind asks for, and what must be there in the end, whatever died on the way. */
export interface RunKind {
  readonly name: string
  readonly input: Record<string, unknown>
  readonly briefs: Readonly<Record<string, ExpectedBrief>>
}

export interface ExpectedBrief {
  readonly after: readonly string[]
  readonly evidence: number
  /** Its outputs and their text. */
  readonly outputs: Readonly<Record<string, string>>
  /** How its first attempt ends, unless it was interrupted; later ones end well. */
  readonly first: 'ok' | 'bad_output' | 'crash'
}

/** Takes a while, and tells when two agents are ever at work in one workspace. */
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
  ...fields,
})

/** Reports at once and works on: its report must stand when we die under it. */
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
  briefs: { main: expected({ outputs: { 'word.txt': 'river\n' } }) },
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
}

/** Its first attempt leaves a process behind that left the group, and dies. */
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
  briefs: { main: expected({ outputs: { 'up.txt': 'up again\n' }, first: 'crash' }) },
}

/** Four briefs that wait for each other, each with its own way to report. */
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
      expected({ after, outputs: { [`${key}.txt`]: `${key}\n` } }),
    ]),
  ),
}

function part(key: string, after: string[], via: 'http' | 'cli' | 'file' | 'stdout'): Record<string, unknown> {
  const path = `${key}.txt`
  const steps = [working, { write: { path, text: `${key}\n` } }, report([path], via)]
  return { key, after, objective: `Write ${path}`, runtime_options: { scenario: { steps } } }
}

/** No scripted agent: any program, which lays its report into the outbox. */
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
}

export const runKinds: readonly RunKind[] = [plain, mended, crashing, chained, program]
