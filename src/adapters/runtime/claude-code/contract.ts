import { z } from 'zod'

/** What of the daemon's own environment an agent gets: whom it asks, and what it pays with. */
export const passedOnByDefault = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
]

/** How an installation runs Claude Code, in its configuration. */
export const ClaudeSettings = z.strictObject({
  binary: z.string().min(1).max(4_096).nullable().default(null),
  environment: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable'))
    .max(100)
    .default(passedOnByDefault),
})
