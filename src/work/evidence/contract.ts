import { z } from 'zod'

import { counted } from '../../kernel/amounts.ts'

/** A path below the workspace. The check resolves it again, including links, before it opens the file. */
const WorkspacePath = z
  .string()
  .min(1)
  .max(1_000)
  .refine((path) => !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..'), {
    error: 'must be a path inside the workspace, without ".."',
  })

/** Any text that a person may type; NUL is refused because it would truncate an argument. */
const Argument = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !text.includes('\0'), { error: 'must not contain NUL' })

const TimeoutSeconds = z.number().positive().max(3_600)

const CommandEvidence = z.strictObject({
  kind: z.literal('command'),
  run: z.string().min(1).max(10_000).describe('A shell command, run in the workspace'),
  expectExit: z.number().int().min(0).max(255).default(0),
  expectOutput: z.string().max(10_000).optional().describe('Text that its output must contain'),
  timeoutSeconds: TimeoutSeconds.default(120),
})

const FileEvidence = z.strictObject({
  kind: z.literal('file'),
  path: WorkspacePath,
  contains: z.string().max(10_000).optional(),
  minBytes: z.number().int().min(0).default(1),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits' })
    .optional(),
})

const ArtifactEvidence = z.strictObject({
  kind: z.literal('artifact'),
  path: WorkspacePath.optional().describe(
    'Without one: at least one output must be reported, and all that are must exist',
  ),
})

const Globs = z.array(Argument(500)).max(20)

const GitEvidence = z
  .strictObject({
    kind: z.literal('git'),
    path: WorkspacePath.default('.').describe('The directory that contains the repository’s .git'),
    clean: z.boolean().default(false).describe('Nothing uncommitted and nothing untracked'),
    branch: Argument(250).optional().describe('The branch that must be checked out'),
    since: Argument(250)
      .optional()
      .describe('A commit that HEAD must descend from; best a full hash, since an agent can move names'),
    commitsAtLeast: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Minimum number of commits after `since`'),
    changed: Globs.default([]).describe('Each must match a file that was committed after `since`'),
    unchanged: Globs.default([]).describe('None may match a file that differs from `since`, committed or not'),
    messageMatches: Argument(500)
      .refine((pattern) => !/[\n\r]/.test(pattern), { error: 'must be one line' })
      .optional()
      .describe('A POSIX extended expression for a line of the newest commit’s message'),
    timeoutSeconds: TimeoutSeconds.default(60),
  })
  .refine((git) => git.unchanged.length === 0 || git.since !== undefined, {
    error: 'needs `since`: unchanged since which commit?',
    path: ['unchanged'],
  })

/** Free-form: a JSON Schema of draft 7, 2019-09 or 2020-12. */
const JsonSchema = z.record(z.string(), z.unknown())

const SchemaEvidence = z
  .strictObject({
    kind: z.literal('schema'),
    path: WorkspacePath.describe('JSON, or YAML by its ending'),
    schema: JsonSchema.optional().describe('A JSON Schema'),
    schemaPath: WorkspacePath.optional().describe('The file with it, in the workspace, where the agent can change it'),
  })
  .refine((evidence) => (evidence.schema === undefined) !== (evidence.schemaPath === undefined), {
    error: 'needs either a schema or a schema_path',
  })

/** Loopback only, with an explicit port: an agent's text must not make the daemon request any other host. */
const LoopbackUrl = z
  .string()
  .max(2_000)
  .regex(/^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):(?:\d{1,5}|\{port\})(?:[/?][\x21-\x7e]*)?$/, {
    error: 'must be http://127.0.0.1:PORT/path, with a number or {port} as port',
  })
  .refine((url) => isPort(portIn(url)), { error: 'must have a port from 1 to 65535' })

const HttpEvidence = z.strictObject({
  kind: z.literal('http'),
  start: Argument(10_000).describe('The command that starts the server; {port} and $PORT are its port'),
  url: LoopbackUrl.describe('The requested address; {port} is a free port'),
  expect: z
    .strictObject({
      status: z.number().int().min(100).max(599).default(200),
      contains: z.string().max(10_000).optional().describe('Text that the body must contain'),
      json: z.unknown().optional().describe('JSON that the body must contain'),
    })
    .prefault({}),
  timeoutSeconds: TimeoutSeconds.default(30),
})

/** The proof that a brief is done: checked by the engine, independent of the agent's report. */
export const Evidence = z.discriminatedUnion('kind', [
  CommandEvidence,
  FileEvidence,
  ArtifactEvidence,
  GitEvidence,
  SchemaEvidence,
  HttpEvidence,
])
export type Evidence = z.infer<typeof Evidence>
export type EvidenceOf<Kind extends Evidence['kind']> = Extract<Evidence, { kind: Kind }>

export const checkRounds = ['delivered', 'again', 'base_witnesses', 'before'] as const

/** One check of one item of evidence. */
export const Check = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string(),
  attemptId: z.string(),
  item: z.number().int().describe('The index of the brief’s evidence, from 0'),
  kind: z.enum(['command', 'file', 'artifact', 'git', 'schema', 'http']),
  evidence: Evidence,
  passed: z.boolean(),
  detail: z.string().describe('The reason, in one line'),
  output: z.string().describe('The beginning and the end of the output or of the response'),
  sha256: z.string().nullable().describe('SHA-256 of the whole output, the file, or the response body'),
  boxed: z.boolean().describe('Whether it ran in a sandbox'),
  durationMs: z.number().int(),
  round: z
    .enum(checkRounds)
    .describe(
      'delivered: on the delivered work; again: a second time; base_witnesses: with the tests and scripts of the commit that the brief began with; before: on that commit itself, or without a repository in the workspace before its first agent worked there',
    ),
  commitId: z.string().nullable().describe('The commit that was checked; null without a repository'),
  setup: z.string().nullable().describe('The command that prepared the checkout, if one did'),
  at: z.string(),
})
export type Check = z.infer<typeof Check>

/** A change that may weaken a proof, in one line, for the verifier and for the person who decides. */
export const Odd = z.object({
  kind: z
    .enum([
      'tests',
      'scripts',
      'ci',
      'tools',
      'instructions',
      'scope',
      'bent',
      'prepared',
      'unchanged',
      'unboxed',
      'submodule',
      'link',
      'binary',
      'unopened',
    ])
    .describe(
      'What was changed: tests, scripts, … ; bent: evidence holds only with the agent’s own versions of them; prepared: other code of the work prepared the place of a check; submodule, binary: its content was not checked, or no diff shows it; link: it leads out of the repository; unopened: its verifier did not open all changed files',
    ),
  path: z.string().nullable().describe('The file that it is about, if it is about one'),
  text: z.string(),
})
export type Odd = z.infer<typeof Odd>

/** Reports whether a kind starts processes, for which it matters whether a sandbox contained them. */
export const startsProcesses = (kind: Evidence['kind']): boolean =>
  kind === 'command' || kind === 'git' || kind === 'http'

/** Describes the requirement of an evidence item in a line. */
export function describeEvidence(evidence: Evidence): string {
  switch (evidence.kind) {
    case 'command':
      return `$ ${evidence.run}`
    case 'file':
      return `file ${evidence.path}`
    case 'artifact':
      return evidence.path === undefined ? 'every reported output exists' : `output ${evidence.path}`
    case 'git':
      return evidence.path === '.' ? 'git' : `git in ${evidence.path}`
    case 'schema':
      return `schema of ${evidence.path}`
    case 'http':
      return `GET ${evidence.url}`
  }
}

/** Lists every further condition that is checked: an agent cannot meet a condition that it does not know. */
export function expectationsOf(evidence: Evidence): string[] {
  switch (evidence.kind) {
    case 'command':
      return [
        `exit code ${evidence.expectExit}`,
        ...said(evidence.expectOutput, (text) => `prints ${JSON.stringify(text)}`),
        `within ${evidence.timeoutSeconds} s`,
      ]
    case 'file':
      return [
        ...(evidence.minBytes > 0 ? [`at least ${counted(evidence.minBytes, 'byte')}`] : []),
        ...said(evidence.contains, (text) => `contains ${JSON.stringify(text)}`),
        ...said(evidence.sha256, (hash) => `sha256 ${hash}`),
      ]
    case 'artifact':
      return evidence.path === undefined ? ['at least one is reported'] : []
    case 'git':
      return gitExpectations(evidence)
    case 'schema':
      return [
        evidence.schemaPath === undefined
          ? `fits the JSON Schema ${JSON.stringify(evidence.schema)}`
          : `fits the JSON Schema in ${evidence.schemaPath}`,
      ]
    case 'http':
      return [
        `served by $ ${evidence.start}`,
        `answers ${evidence.expect.status}`,
        ...said(evidence.expect.contains, (text) => `contains ${JSON.stringify(text)}`),
        ...said(evidence.expect.json, (json) => `says at least ${JSON.stringify(json)}`),
        `within ${evidence.timeoutSeconds} s`,
      ]
  }
}

function gitExpectations(git: EvidenceOf<'git'>): string[] {
  const after = git.since === undefined ? '' : ` after ${git.since}`
  return [
    git.commitsAtLeast === undefined
      ? `something is committed${after}`
      : `at least ${counted(git.commitsAtLeast, 'commit')}${after}`,
    ...said(git.branch, (branch) => `on the branch ${branch}`),
    ...git.changed.map((glob) => `a file ${glob} was committed${after}`),
    ...git.unchanged.map((glob) => `no file ${glob} differs from ${git.since}`),
    ...said(git.messageMatches, (pattern) => `the newest commit’s message matches ${JSON.stringify(pattern)}`),
    ...(git.clean ? ['nothing is uncommitted or untracked'] : []),
  ]
}

const said = <T>(value: T | undefined, say: (value: T) => string): string[] => (value === undefined ? [] : [say(value)])

/** Returns the port of an accepted address; null stands for a free port. */
export function portIn(url: string): number | null {
  const written = /^http:\/\/[^/?]*:(\d+|\{port\})/.exec(url)?.[1]
  return written === undefined || written === '{port}' ? null : Number(written)
}

const isPort = (port: number | null): boolean => port === null || (port >= 1 && port <= 65_535)
