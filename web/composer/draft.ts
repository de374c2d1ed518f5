import { scriptOf } from '../../src/kernel/program-script.ts'
import { shellWords } from '../../src/kernel/shell-words.ts'
import type { RuntimeChoice } from '../../src/work/composer/contract.ts'
import type { Evidence } from '../../src/work/evidence/contract.ts'
import { isEditable, type Proof, proofOf } from './proof.ts'
import type { CreateRun, Run } from '../../src/work/runs/contract.ts'
import type { Template, TemplateRun } from '../../src/work/templates/contract.ts'

/** A run that is being composed, as it was typed. */
export interface Draft {
  /** Names this form to the daemon, so that it starts one run however often it is sent. */
  key: string
  goal: string
  template: string | null
  repo: string
  /** Empty: none is chosen. */
  runtime: string
  /** The options of the runtime that the form shows, by name. */
  fields: Record<string, string>
  /** The options that the form does not show. */
  options: Record<string, unknown>
  proofs: Proof[]
  /** The proofs are those of a person or a template: suggestions no longer replace them. */
  ownProofs: boolean
  team: boolean
  limit: string
  askPlan: boolean
  askResult: boolean
  /** The ended run that it begins with, and a brief of that run by its key. */
  fork: { runId: string; from?: string } | null
  /** The settings that the form does not show: those of a template, or of the run that is repeated. */
  more: Partial<CreateRun>
}

export const emptyDraft = (key: string): Draft => ({
  key,
  goal: '',
  template: null,
  repo: '',
  runtime: '',
  fields: {},
  options: {},
  proofs: [],
  ownProofs: false,
  team: false,
  limit: '',
  askPlan: false,
  askResult: false,
  fork: null,
  more: {},
})

export const teamPlaybook = 'tiered'
export const maxGoal = 20_000

/** Applies a template: a field that it leaves open keeps its value, and so does the person's own part of the goal. */
export function withTemplate(draft: Draft, template: Template, before: Template | null): Draft {
  const own = ownGoal(draft.goal, before)
  const { run } = template
  return {
    ...draft,
    template: template.name,
    goal: [own, template.goal].filter((part) => part !== '').join('\n\n'),
    ...settingsOf(run, draft),
  }
}

export function withoutTemplate(draft: Draft, before: Template | null): Draft {
  return { ...draft, template: null, goal: ownGoal(draft.goal, before), more: {} }
}

/** Returns a draft with the settings of an earlier run. */
export function draftOfRun(run: Run, key: string): Draft {
  const { configuration } = run
  const { verify, planner, mode, onLimit, retryBudget, tokenBudget, setup } = configuration
  return {
    ...emptyDraft(key),
    goal: run.goalAnchor,
    ...settingsOf(
      {
        playbook: run.playbook,
        runtime: configuration.runtime,
        runtimeOptions: configuration.runtimeOptions,
        evidence: configuration.evidence,
        planGate: configuration.planGate,
        acceptance: configuration.acceptance,
        repo: run.repository?.path,
        base: run.repository?.branch,
        costLimit: configuration.costLimit ?? undefined,
      },
      emptyDraft(key),
    ),
    more: defined({
      base: run.repository?.branch,
      mode,
      ...(run.playbook === teamPlaybook
        ? {}
        : { verify, planner: planner || undefined, onLimit, retryBudget, tokenBudget: tokenBudget ?? undefined }),
      setup: setup ?? undefined,
      protected: configuration.protected,
      priority: run.priority,
    }),
  }
}

function settingsOf(run: TemplateRun, draft: Draft): Partial<Draft> {
  const { playbook, runtime, runtimeOptions, evidence, repo, costLimit, planGate, acceptance, ...more } = run
  return {
    ...(playbook === undefined ? {} : { team: playbook === teamPlaybook }),
    // The options of another agent would go with the request, and some of them are not shown.
    ...(runtime === undefined ? {} : runtime === draft.runtime ? { runtime } : { runtime, options: {}, fields: {} }),
    ...(runtimeOptions === undefined ? {} : { options: runtimeOptions, fields: {} }),
    ...(evidence === undefined ? {} : { proofs: evidence.map(proofOf), ownProofs: true }),
    ...(repo === undefined ? {} : { repo }),
    limit: costLimit === undefined ? draft.limit : String(costLimit),
    askPlan: planGate ?? draft.askPlan,
    askResult: acceptance === undefined ? draft.askResult : acceptance === 'operator',
    more: defined(more),
  }
}

/** Returns the goal without the instructions of the template that was chosen before. */
function ownGoal(goal: string, before: Template | null): string {
  if (before === null || before.goal === '' || !goal.trimEnd().endsWith(before.goal)) return goal.trim()
  return goal.trimEnd().slice(0, -before.goal.length).trim()
}

export interface Fault {
  cause: string
  step: string
}
export type FieldName = 'goal' | 'repo' | 'runtime' | 'limit' | 'proofs' | `option ${string}` | `proof ${string}`

/** Lists the faults that keep a draft from being started, by the field at which it is shown. */
export function faultsOf(
  draft: Draft,
  { runtime, template }: { runtime: RuntimeChoice | null; template: Template | null },
): Map<FieldName, Fault> {
  const faults = new Map<FieldName, Fault>()
  const goal = draft.goal.trim()
  if (goal === '')
    faults.set('goal', { cause: 'The goal is empty.', step: template?.ask ?? 'Say what the run should achieve.' })
  else if (typeof template?.ask === 'string' && ownGoal(goal, template) === '')
    faults.set('goal', { cause: 'The goal has only the instructions of the template.', step: template.ask })
  else if (goal.length > maxGoal)
    faults.set('goal', {
      cause: `The goal has ${figure(goal.length)} characters, and a goal has at most ${figure(maxGoal)}.`,
      step: 'Shorten it, or put the details into a file of the repository and name that file here.',
    })
  if (runtime === null)
    faults.set('runtime', { cause: 'No agent is chosen.', step: 'Choose one, or install one as shown beside it.' })
  else if (!runtime.usable)
    faults.set('runtime', {
      cause: `${runtime.title} cannot run here: ${runtime.reason}.`,
      step: 'Make it usable as shown beside it, or choose another one.',
    })
  for (const { name, label, isRequired, isCommand } of runtime?.fields ?? []) {
    const text = draft.fields[name]?.trim() ?? ''
    const isGiven = text !== '' || draft.options[name] !== undefined
    if (isRequired && !isGiven) faults.set(`option ${name}`, { cause: `${label} is empty.`, step: 'Fill it in.' })
    else if (isCommand && 'open' in shellWords(text))
      faults.set(`option ${name}`, { cause: `${label} has a quote that is not closed.`, step: 'Close the quote.' })
  }
  if (draft.limit.trim() !== '' && amountOf(draft.limit) === null)
    faults.set('limit', {
      cause: 'The limit is not an amount above $0.',
      step: 'Write an amount such as 5 or 0.50, or leave it empty for no limit.',
    })
  for (const proof of draft.proofs)
    if (proof.kind !== 'kept' && proof.text.trim() === '')
      faults.set(`proof ${proof.id}`, { cause: 'This proof is empty.', step: 'Fill it in, or remove it.' })
  return faults
}

/** Returns dollars, or null if the text is no amount above zero. */
export function amountOf(text: string): number | null {
  const [, digits] = /^\$?\s*(\d{1,7}(?:\.\d{1,4})?)$/.exec(text.trim()) ?? []
  const amount = Number(digits)
  return digits === undefined || amount <= 0 || amount > 1e6 ? null : amount
}

/** Returns the request of a draft without faults; `repo` is the top of its repository, null without one. */
export function inputOf(
  draft: Draft,
  { runtime, repo }: { runtime: RuntimeChoice; repo: string | null },
): Omit<Partial<CreateRun>, 'goal'> & { goal: string } {
  const limit = amountOf(draft.limit)
  const { base, setup, protected: barred, planner, readable = [], ...more } = draft.more
  const scripts = scriptsOf(draft, runtime).filter((script) => !readable.includes(script))
  const shown = [...readable, ...scripts]
  return {
    ...more,
    ...(shown.length === 0 ? {} : { readable: shown }),
    goal: draft.goal.trim(),
    ...(draft.fork === null ? {} : { fork: draft.fork }),
    runtime: runtime.name,
    runtimeOptions: { ...draft.options, ...fieldValues(draft, runtime) },
    evidence: draft.proofs.map(evidenceOf),
    ...(limit === null ? {} : { costLimit: limit }),
    ...(repo === null ? {} : { repo, ...defined({ base, setup, protected: barred }) }),
    ...(draft.team
      ? { playbook: teamPlaybook }
      : {
          planGate: draft.askPlan,
          ...defined({ planner }),
          acceptance: draft.askResult ? 'operator' : 'auto',
        }),
  }
}

/** Lists the scripts that the command of a program names, as the command line does: the box of the agent shows them. */
function scriptsOf(draft: Draft, runtime: RuntimeChoice): string[] {
  const { fields } = runtime
  const values = { ...draft.options, ...fieldValues(draft, runtime) }
  return fields.flatMap(({ name, isCommand }) => {
    const words = isCommand ? values[name] : undefined
    const script = Array.isArray(words) ? scriptOf(words.map(String)) : null
    return script === null ? [] : [script]
  })
}

function fieldValues({ fields }: Draft, { fields: known }: RuntimeChoice): Record<string, unknown> {
  const values = known.map(({ name, isCommand }): [string, unknown] => {
    const text = fields[name]?.trim() ?? ''
    const parsed = isCommand ? shellWords(text) : null
    return [name, text === '' ? undefined : parsed !== null && 'words' in parsed ? parsed.words : text]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

const evidenceOf = (proof: Proof): Evidence =>
  proof.kind === 'kept'
    ? proof.evidence
    : proof.kind === 'file'
      ? { kind: 'file', path: proof.text.trim(), minBytes: 1 }
      : { kind: 'command', run: proof.text.trim(), expectExit: 0, timeoutSeconds: 120 }

/** Lists the commands of the proofs, for the check of their programs. */
export const commandsOf = ({ proofs }: Draft): string[] =>
  proofs.flatMap((proof) =>
    isEditable(proof) && proof.kind === 'command' && proof.text.trim() !== '' ? [proof.text.trim()] : [],
  )

const figure = (value: number): string => value.toLocaleString('en-GB')

const defined = <T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
