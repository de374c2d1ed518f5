import { z } from 'zod'

/** Variables of the daemon's environment that an agent gets by default: the address of the model server and the keys. */
export const defaultEnvironmentNames = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
]

/** The settings of Claude Code in the configuration of an installation. */
export const ClaudeSettings = z.strictObject({
  binary: z.string().min(1).max(4_096).nullable().default(null),
  environment: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable'))
    .max(100)
    .default(defaultEnvironmentNames),
})
