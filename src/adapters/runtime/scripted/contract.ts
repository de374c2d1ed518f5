import { z } from 'zod'

import { refusal } from '../../../kernel/errors.ts'

/**
 * The steps of a scripted agent. Names are those of the file, so they stay snake_case.
 * No step is rejected for being harmful: a scenario must be able to play every bad agent.
 */
const via = z.enum(['http', 'cli', 'mcp', 'file', 'stdout']).default('http')
const Path = z.string().min(1).max(1_000)
const Text = z.string().max(1_000_000)
/** `hang:` without a value is null in YAML. */
const optional = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.strictObject(shape))

const simpleSteps = {
  say: Text,
  write: z.strictObject({ path: Path, text: Text }),
  run: z.string().min(1).max(10_000),
  log: z.string(),
  /** One model call. */
  usage: z.strictObject({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_tokens: z.number().optional(),
    cache_write_tokens: z.number().optional(),
    model: z.string().max(200).optional(),
    provider: z.string().max(200).optional(),
  }),
  wait: z.strictObject({ ms: z.number().min(0).max(86_400_000) }),
  tool: z.strictObject({ name: z.string().min(1), input: z.record(z.string(), z.unknown()).default({}) }),
  report: z.strictObject({
    status: z.string().default('done'),
    summary: z.string().default('Done (simulated).'),
    outputs: z.array(z.string()).default([]),
    assumptions: z.unknown().optional(),
    notes: z.unknown().optional(),
    question: z.unknown().optional(),
    questions: z.unknown().optional(),
    remaining: z.unknown().optional(),
    verdict: z.unknown().optional(),
    findings: z.unknown().optional(),
    plan: z.unknown().optional(),
    output: z.unknown().optional(),
    via,
  }),
  /** A report that violates the contract. */
  raw_report: z.strictObject({ body: z.unknown(), via }),
  /** Ends because the provider rejects calls for this long. */
  quota: optional({
    seconds: z.number().optional(),
    provider: z.string().max(200).optional(),
    reason: z.string().max(500).default('rate limited'),
  }),
  /** An operation that cannot be undone: a cautious agent ends here, unless the operation was allowed. */
  destructive: z.strictObject({ rule: z.string().min(1).max(500), what: z.string().min(1).max(500) }),
  exit: z.strictObject({ code: z.number().int().min(0).max(255) }),
  crash: optional({ signal: z.enum(['SIGSEGV', 'SIGKILL', 'SIGABRT', 'SIGTERM', 'SIGINT']).default('SIGSEGV') }),
  /** Ignores signals from now on, so that it must be killed. */
  ignore_signals: optional({}),
  hang: optional({}),
  flood: z.strictObject({ megabytes: z.number().positive().max(1_024), one_line: z.boolean().default(false) }),
  garbage: z.strictObject({ lines: z.number().int().min(1).max(1_000_000) }),
  /** Leaves a process behind that keeps its output open; `escape` moves it out of the process group too. */
  spawn_child: optional({ escape: z.boolean().default(false) }),
  /** Writes its token to a file, for a later agent that uses it again. */
  keep_token: z.strictObject({ path: Path }),
}

const steps = {
  ...simpleSteps,
  /** Calls Agency with another token: one that was kept, or an invented one. */
  with_token: z
    .strictObject({
      path: Path.optional(),
      token: z.string().optional(),
      steps: z.lazy(() => z.array(oneOf(simpleSteps))),
    })
    .refine(({ path, token }) => (path === undefined) !== (token === undefined), {
      error: 'needs either path or token',
    }),
}

export type StepName = keyof typeof steps
export type StepValue<Name extends StepName> = z.output<(typeof steps)[Name]>
type StepOf<Name extends StepName> = { readonly [Key in Name]: StepValue<Key> }
export type Step = { [Name in StepName]: StepOf<Name> }[StepName]
/** A step as it is written, without defaults. */
export type StepInput = { [Name in StepName]: { readonly [Key in Name]: z.input<(typeof steps)[Key]> } }[StepName]
export type ReportVia = z.output<typeof via>

const Steps = z.array(oneOf(steps) as z.ZodType<Step>).max(10_000)

const Attempts = z.array(Steps).min(1).max(100)

const PhaseAttempts = z
  .strictObject({ steps: Steps.optional(), attempts: Attempts.optional() })
  .transform(({ steps: only, attempts }, context) => {
    if ((only === undefined) !== (attempts === undefined)) return attempts ?? [only ?? []]
    context.addIssue({ code: 'custom', message: 'needs either steps or attempts' })
    return z.NEVER
  })

export const Scenario = z
  .strictObject({
    name: z.string().max(200).optional(),
    steps: Steps.optional(),
    attempts: Attempts.optional(),
    verify: Attempts.optional(),
    plan: Attempts.optional(),
    phases: z.record(z.string().min(1).max(500), PhaseAttempts).optional(),
  })
  .transform(({ name, steps: only, attempts, ...others }, context) => {
    if (only !== undefined && attempts !== undefined) {
      context.addIssue({ code: 'custom', message: 'needs either steps or attempts' })
      return z.NEVER
    }
    const own = attempts ?? (only === undefined ? undefined : [only])
    if (own !== undefined || others.phases !== undefined) return { name, ...others, attempts: own ?? [] }
    context.addIssue({ code: 'custom', message: 'needs steps, attempts or phases' })
    return z.NEVER
  })

/** One list of steps per attempt; the last one repeats. */
export interface Scenario {
  readonly name?: string | undefined
  /** If empty, an agent without an entry in `phases` plays the default scenario. */
  readonly attempts: readonly (readonly Step[])[]
  /** Attempts as a verifier; without them it passes the listed outputs. */
  readonly verify?: readonly (readonly Step[])[] | undefined
  /** Attempts as a planner; without them the goal becomes one brief. */
  readonly plan?: readonly (readonly Step[])[] | undefined
  /**
   * Attempts in a playbook that works in steps: by `<phase>:<task>`, `<phase>:<workstream>` or `<phase>`, the first that
   * exists. In their texts `{{inputs.plan}}` is an input of the step, `{{outputs}}` the outputs to verify.
   */
  readonly phases?: Readonly<Record<string, readonly (readonly Step[])[]>> | undefined
}

/** Parses a scenario; the error names the path and the reason in one line. */
export function parseScenario(value: unknown): Scenario {
  const parsed = Scenario.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const path = z.core.toDotPath(issue?.path ?? [])
  throw refusal('invalid_input', `scenario: ${path === '' ? '' : `${path}: `}${issue?.message ?? 'not a scenario'}`)
}

/** Parses an object with exactly one key, which names the step; a union would report twenty errors for one mistake. */
function oneOf<Shapes extends Record<string, z.ZodType>>(shapes: Shapes) {
  return z.unknown().transform((value, context): { [Name in keyof Shapes]: z.output<Shapes[Name]> } => {
    const complain = (message: string, path: PropertyKey[] = []) => {
      context.addIssue({ code: 'custom', message, path })
      return z.NEVER
    }
    const known = `known steps: ${Object.keys(shapes).join(', ')}`
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return complain(`not a step; ${known}`)
    const [name, ...more] = Object.keys(value)
    if (name === undefined || more.length > 0) return complain('a step has exactly one key')
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
    if (shape === undefined) return complain(`unknown step "${name}"; ${known}`)
    const parsed = shape.safeParse((value as Record<string, unknown>)[name])
    if (parsed.success) return { [name]: parsed.data } as never
    const [issue] = parsed.error.issues
    return complain(issue?.message ?? 'invalid', [name, ...(issue?.path ?? [])])
  })
}
