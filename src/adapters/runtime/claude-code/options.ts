import { z } from 'zod'

import { refusal } from '../../../kernel/errors.ts'
import { locate } from './find.ts'

const Options = z.strictObject({
  model: z
    .string()
    .regex(/^[A-Za-z0-9][\w.:@/[\]-]{0,127}$/, { error: 'is not the name of a model' })
    .optional(),
  binary: z.string().min(1).max(4_096).optional(),
  maxTurns: z.number().int().min(1).max(1_000).default(50),
  maxRetries: z.number().int().min(0).max(20).default(6),
  nativeTeams: z.boolean().default(true),
})
export type ClaudeOptions = z.infer<typeof Options>

/** Parses the options, whose names are in snake_case like all external input. */
export function optionsOf(options: Record<string, unknown>): ClaudeOptions {
  const { max_turns: maxTurns, max_retries: maxRetries, native_teams: nativeTeams, ...others } = options
  const parsed = Options.safeParse({
    ...others,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(nativeTeams === undefined ? {} : { nativeTeams }),
  })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = z.core.toDotPath(issue?.path ?? []).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  throw refusal('invalid_input', `the claude-code runtime: ${path === '' ? '' : `${path}: `}${issue?.message}`, {
    hint: 'Give {"model": "…", "max_turns": 50, "max_retries": 6, "native_teams": true, "binary": "/path/to/claude"}, or omit the options.',
  })
}

export function checkOptions(options: Record<string, unknown>): void {
  const { binary } = optionsOf(options)
  if (binary !== undefined && locate(binary) === null)
    throw refusal('invalid_input', `program "${binary}" was not found`, {
      hint: 'Give the absolute path of the program, or install it.',
    })
}
