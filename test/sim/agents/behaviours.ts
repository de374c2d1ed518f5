import type { StepInput } from '../../../src/adapters/runtime/scripted/contract.ts'
import { defaultVerification } from '../../../src/adapters/runtime/scripted/default-verify-and-plan.ts'
import { planOf } from '../missions.ts'
import { asking } from '../lead/agents.ts'
import type { Random } from '../random.ts'
import type { Behaviour, Draw, Task } from './behaviour.ts'
import { badStep, goodStep, stepReport } from './tiers.ts'

/** Draws one of the ways to succeed. */
export function goodBehaviour(task: Task, random: Random): Behaviour {
  if (task.kind === 'plan' && task.step !== undefined) {
    const output = goodStep(task.step, random, task.isDiligent === true)
    // The output may no longer fit the work that others did at the same time.
    return { name: 'good', steps: [...thinking(random), stepReport(output, random)], outcomes: ['ok', 'bad_output'] }
  }
  const steps = [...thinking(random), ...doing(task), ...(task.kind === 'work' ? usage(random) : [])]
  // An earlier attempt may have left notes open.
  const settling: StepInput[] = task.kind === 'work' && task.attempt > 1 ? [{ log: 'note settle' }] : []
  return { name: 'good', steps: [...steps, ...settling, ...reporting(task, random)], outcomes: ['ok'] }
}

export function badBehaviour(task: Task, random: Random): Behaviour {
  const bad = {
    ...badAnywhere,
    ...(task.hasLead === true && task.kind === 'work' ? asking : {}),
    ...(task.kind === 'work' ? badWork : task.kind === 'verify' ? badVerdict : badPlanning(task)),
  }
  const name = random.pick(Object.keys(bad))
  const drawn = (bad[name] as Draw)(task, random)
  return { ...drawn, name, steps: [...thinking(random), ...drawn.steps] }
}

/** Ends a behaviour early: the provider takes no more calls. A report that was made before counts. */
export function limited(behaviour: Behaviour, random: Random): Behaviour {
  const made = behaviour.steps.slice(0, random.between(0, behaviour.steps.length))
  const quota: StepInput = { quota: { seconds: random.pick([1, 20, 90]), reason: 'too many requests' } }
  const { outcomes, reported } = behaviour
  return {
    name: 'meets its quota',
    cutShort: behaviour.name,
    steps: [...made, quota],
    outcomes: [...outcomes, ...(reported === undefined ? [] : [reported]), 'interrupted', 'bad_output'],
    ...(behaviour.cannotStart === true ? { cannotStart: true } : {}),
  }
}

const badAnywhere: Record<string, Draw> = {
  crashes: (_, random) => ({
    steps: [random.chance(0.5) ? { crash: { signal: 'SIGSEGV' } } : { exit: { code: 3 } }],
    outcomes: ['crash'],
  }),
  'crashes after its report': (task, random) => ({
    steps: [...doing(task), ...reporting(task, random), { crash: { signal: 'SIGKILL' } }],
    outcomes: ['crash'],
    reported: 'ok',
  }),
  hangs: () => ({ steps: [{ say: 'hm' }, { hang: {} }], outcomes: ['timeout'] }),
  'hangs after its report': (task, random) => ({
    steps: [...doing(task), ...reporting(task, random), { hang: {} }],
    outcomes: ['timeout'],
    reported: 'ok',
  }),
  'never stops talking': ({ tooLongMs }) => ({
    steps: Array.from({ length: 40 }, () => [{ say: 'well' }, { wait: { ms: Math.ceil(tooLongMs / 40) } }]).flat(),
    outcomes: ['timeout', 'bad_output'],
  }),
  'says nothing': () => ({ steps: [{ say: 'Done.' }], outcomes: ['bad_output'] }),
  'talks nonsense': (_, random) => ({
    steps: [{ raw_report: { body: random.pick(nonsense), via: random.pick(['file', 'stdout', 'http']) } }],
    outcomes: ['bad_output'],
  }),
  'writes no JSON': () => ({
    steps: [{ write: { path: '.agency/outbox/report.json', text: '{"status": "done", "summary": ' } }],
    outcomes: ['bad_output'],
  }),
  'cannot start': () => ({ steps: [], outcomes: ['crash'], cannotStart: true }),
  asks: ({ kind }, random) => {
    const question = {
      text: random.pick(['Which colour shall the roof have?', 'May I delete the database?', 'Who pays for it?']),
      options: random.chance(0.5)
        ? []
        : [
            { key: 'left', label: 'Left', detail: '' },
            { key: 'right', label: 'Right', detail: '' },
          ],
    }
    const via = random.pick(ways)
    return {
      steps: [{ report: { status: 'blocked', summary: 'I cannot go on', question, via } }],
      // A file is no report of a verifier.
      outcomes: [kind === 'verify' && via === 'file' ? 'bad_output' : 'blocked'],
    }
  },
}

const badWork: Record<string, Draw> = {
  lies: ({ subject }, random) => ({
    steps: [done({ outputs: [`${subject}.md`] }, random)],
    // The claimed output may exist from an earlier attempt.
    outcomes: ['ok', 'bad_output'],
  }),
  'does half of it': ({ subject }, random) => ({
    steps: [
      { write: { path: `${subject}.md`, text: `begun\n` } },
      { report: { status: 'partial', summary: 'half', remaining: 'the rest', outputs: [], via: random.pick(ways) } },
    ],
    outcomes: ['partial_output'],
  }),
  'does another thing': ({ subject }, random) => ({
    steps: [
      { write: { path: `${subject}.md`, text: 'nothing of that\n' } },
      done({ outputs: [`${subject}.md`] }, random),
    ],
    outcomes: ['ok', 'bad_output'],
  }),
  assumes: (task, random) => ({
    steps: [
      ...doing(task),
      done(
        {
          outputs: [`${task.subject}.md`],
          assumptions: random.pick([
            [{ text: 'It may be written in English', category: 'implementation' }],
            [{ text: 'Nobody attacks it', category: 'security' }],
            ['It is wanted at all', { text: 'Tabs', category: 'consistency' }],
          ]),
        },
        random,
      ),
    ],
    outcomes: ['ok', 'bad_output'],
  }),
  notes: (task, random) => ({
    steps: [
      { log: `note add ${random.pick(['implementation', 'security', 'none'])}` },
      ...doing(task),
      ...(random.chance(0.5) ? [{ log: 'note settle' }] : []),
      done({ outputs: [`${task.subject}.md`] }, random),
    ],
    outcomes: ['ok', 'bad_output'],
  }),
  'changes its mind': (task, random) => ({
    steps: [
      { report: { status: 'blocked', summary: 'no idea', via: 'http' } },
      ...doing(task),
      // An agent that has reported with its token has no other report.
      done({ outputs: [`${task.subject}.md`], via: 'http' }, random),
    ],
    outcomes: ['ok'],
    reported: 'blocked',
  }),
  spends: (task, random) => ({
    steps: [
      ...doing(task),
      ...Array.from({ length: 8 }, () => usage(random)).flat(),
      done({ outputs: [`${task.subject}.md`] }, random),
    ],
    outcomes: ['ok'],
  }),
}

const verdict = (body: Record<string, unknown>, random: Random): StepInput => ({
  report: { status: 'done', summary: 'judged', verdict: body, via: random.pick(verdictWays) },
})

const badVerdict: Record<string, Draw> = {
  refuses: (_, random) => ({
    steps: [verdict({ verdict: random.pick(['fail', 'partial']), issues: ['it is too short'] }, random)],
    outcomes: ['ok'],
  }),
  'misses something': (_, random) => ({
    steps: [verdict({ verdict: 'fail', missing_evidence: ['a test'] }, random)],
    outcomes: ['ok'],
  }),
  'passes without looking': (_, random) => ({
    steps: [verdict({ verdict: 'pass', checked: [] }, random)],
    outcomes: ['bad_output'],
  }),
  'refuses without a reason': (_, random) => ({
    steps: [verdict({ verdict: 'fail' }, random)],
    outcomes: ['bad_output'],
  }),
  'judges nonsense': (_, random) => ({ steps: [verdict({ verdict: 'maybe' }, random)], outcomes: ['bad_output'] }),
  'lays its verdict into a file': ({ prompt }) => ({
    steps: defaultVerification(prompt).map((step) =>
      'report' in step ? { report: { ...step.report, via: 'file' as const } } : step,
    ),
    outcomes: ['bad_output'],
  }),
  'contradicts itself': ({ prompt }, random) => ({
    steps: [...defaultVerification(prompt), verdict({ verdict: 'fail', issues: ['it is too short'] }, random)],
    outcomes: ['bad_output'],
    // Only the first report arrives if the daemon dies between them.
    reported: 'ok',
  }),
  'judges nothing': (_, random) => ({ steps: [done({}, random)], outcomes: ['bad_output'] }),
  meddles: ({ subject, prompt }) => ({
    steps: [{ write: { path: `${subject}.md`, text: 'better so\n' } }, ...defaultVerification(prompt)],
    outcomes: ['bad_output'],
  }),
}

const badPlanning = ({ step }: Task): Record<string, Draw> =>
  step === undefined ? badPlan : { 'hands over something else': (_, random) => badStep(step, random) }

const badPlan: Record<string, Draw> = {
  'plans nothing': (_, random) => ({ steps: [done({}, random)], outcomes: ['bad_output'] }),
  'plans a circle': ({ subject }, random) => ({
    steps: [
      done(
        {
          plan: [
            { key: 'a', objective: `Write ${subject}-a.md`, after: ['b'] },
            { key: 'b', objective: `Write ${subject}-b.md`, after: ['a'] },
          ],
        },
        random,
      ),
    ],
    outcomes: ['bad_output'],
  }),
  'plans too boldly': ({ subject }, random) => ({
    steps: [done({ plan: [{ key: 'a', objective: `Write ${subject}-a.md`, runtime: 'program', after: [] }] }, random)],
    outcomes: ['bad_output'],
  }),
}

const ways = ['http', 'http', 'file', 'stdout'] as const
/** A verdict does not count as a file. */
const verdictWays = ['http', 'stdout'] as const

const nonsense: readonly unknown[] = [
  'done!',
  { status: 'perfect', summary: 'x' },
  { status: 'done' },
  { status: 'done', summary: 'x', outputs: [''] },
  [],
  null,
  { status: 'done', summary: 'x', secret: 1 },
]

const done = (more: Record<string, unknown>, random: Random): StepInput => ({
  report: { status: 'done', summary: 'Done.', via: random.pick(ways), ...more },
})

const thinking = (random: Random): StepInput[] =>
  random.chance(0.5)
    ? []
    : [
        { say: 'thinking' },
        // Never as long as an idle deadline: good agents do not run into it.
        { wait: { ms: random.pick([1, 3_000, 29_000, 40_000]) } },
        { say: 'thought' },
      ]

export const usage = (random: Random): StepInput[] =>
  random.chance(0.5)
    ? []
    : // Calls take time: each is recorded before the next one begins.
      [{ wait: { ms: 1 } }, { usage: { input_tokens: random.between(1, 900), output_tokens: random.between(1, 300) } }]

/** Writes the file with the requested text, which differs in every attempt. */
const doing = ({ kind, subject, attempt }: Task): StepInput[] =>
  kind === 'work' ? [{ write: { path: `${subject}.md`, text: `${subject} is done\nfor the ${attempt}. time\n` } }] : []

function reporting(task: Task, random: Random): StepInput[] {
  if (task.kind === 'verify') return defaultVerification(task.prompt)
  if (task.kind === 'work') return [done({ outputs: [`${task.subject}.md`] }, random)]
  return [done({ plan: planOf(random, task.subject, { byAgent: true }) }, random)]
}
