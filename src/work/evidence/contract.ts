import { z } from 'zod'

/** A path below the workspace. The check resolves it again, links and all, before it opens anything. */
const WorkspacePath = z
  .string()
  .min(1)
  .max(1_000)
  .refine((path) => !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..'), {
    error: 'must be a path inside the workspace, without ".."',
  })

const CommandEvidence = z.strictObject({
  kind: z.literal('command'),
  run: z.string().min(1).max(10_000).describe('A shell command, run in the workspace'),
  expectExit: z.number().int().min(0).max(255).default(0),
  expectOutput: z.string().max(10_000).optional().describe('Text that its output must contain'),
  timeoutSeconds: z.number().positive().max(3_600).default(120),
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

/** What proves that a brief is done: checked by the engine, whatever the agent says. */
export const Evidence = z.discriminatedUnion('kind', [CommandEvidence, FileEvidence, ArtifactEvidence])
export type Evidence = z.infer<typeof Evidence>

/** One item of evidence, looked at once. */
export const Check = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string(),
  attemptId: z.string(),
  item: z.number().int().describe('Which of the brief’s evidence, from 0'),
  kind: z.enum(['command', 'file', 'artifact']),
  evidence: Evidence,
  passed: z.boolean(),
  detail: z.string().describe('Why, in one line'),
  output: z.string().describe('The beginning of what it printed'),
  sha256: z.string().nullable().describe('Of the whole output, or of the file'),
  boxed: z.boolean().describe('Whether it ran in a sandbox'),
  durationMs: z.number().int(),
  at: z.string(),
})
export type Check = z.infer<typeof Check>

/** What an evidence item asks for, in a line. */
export function describeEvidence(evidence: Evidence): string {
  if (evidence.kind === 'command') return `$ ${evidence.run}`
  if (evidence.kind === 'file') return `file ${evidence.path}`
  return evidence.path === undefined ? 'every reported output exists' : `output ${evidence.path}`
}
