import { z } from 'zod'

import { snakeCase } from '../../kernel/text.ts'

export const NotificationKind = z.enum([
  'gate_pending',
  'gate_reminder',
  'question_asked',
  'question_reminder',
  'run_done',
  'run_failed',
  'run_paused',
  'budget_warning',
  'test',
])
export type NotificationKind = z.infer<typeof NotificationKind>

/** An action offered to the reader: a command for a terminal, and the page for it if there is one. */
export const NotificationAction = z.object({
  label: z.string(),
  command: z.string(),
  link: z.string().optional(),
})
export type NotificationAction = z.infer<typeof NotificationAction>

const text = z.string().max(4_000)
const indirect = [
  z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'is not the name of a variable' }) }),
  z.strictObject({ file: text.regex(/^\//, { error: 'must be an absolute path' }) }),
] as const

/** A literal value, or a reference to a variable of the daemon's environment or to a file, resolved at each message. */
export const Secret = z.union([text.min(1), ...indirect], { error: 'must be a text, {env: NAME} or {file: /path}' })
export type Secret = z.infer<typeof Secret>

const notAnAddress = 'must be an http or https address, {env: NAME} or {file: /path}'
const WebAddress = z.union([z.url({ protocol: /^https?$/, error: notAnAddress }).max(4_000), ...indirect], {
  error: notAnAddress,
})

export const NotifierName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, { error: 'must be lower case letters, digits, - and _' })

const common = {
  name: NotifierName.optional(),
  teamOnly: z.boolean().optional().describe('It receives only messages of runs whose team names it'),
  on: z.array(NotificationKind).min(1).optional(),
  timeoutSeconds: z.number().positive().max(50).default(10),
}

const noLineBreak = /^[^\r\n\0]+$/
const MailAddress = z
  .string()
  .max(320)
  .regex(/^[^\r\n\0]*[^\s@<>]+@[^\s@<>]+>?$/, { error: 'is not an e-mail address' })

export const TerminalSettings = z.strictObject({ adapter: z.literal('terminal'), ...common })
export const WebhookSettings = z.strictObject({
  adapter: z.literal('webhook'),
  ...common,
  url: WebAddress,
  token: Secret.optional(),
  secret: Secret.optional(),
})
export const ProgramSettings = z.strictObject({
  adapter: z.literal('program'),
  ...common,
  command: z
    .array(
      z
        .string()
        .max(4_000)
        .regex(/^[^\0]*$/),
    )
    .min(1)
    .max(100),
  pass: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/))
    .max(50)
    .default([]),
})
export const EmailSettings = z.strictObject({
  adapter: z.literal('email'),
  ...common,
  server: z
    .url({ protocol: /^smtps?$/, error: 'must be smtp://host:port or smtps://host:port' })
    .refine((text) => !text.includes('@'), { error: 'must not contain a user: set user and password separately' }),
  user: z.string().regex(noLineBreak).max(320).optional(),
  password: Secret.optional(),
  from: MailAddress,
  to: z.array(MailAddress).min(1).max(50),
})
export const NtfySettings = z.strictObject({
  adapter: z.literal('ntfy'),
  ...common,
  url: WebAddress,
  token: Secret.optional(),
  priority: z.number().int().min(1).max(5).optional(),
})
export const SlackSettings = z.strictObject({ adapter: z.literal('slack'), ...common, url: WebAddress })
export const DiscordSettings = z.strictObject({ adapter: z.literal('discord'), ...common, url: WebAddress })

/** One entry of `notify:` in config.yaml. */
export const NotifierSettings = z.discriminatedUnion(
  'adapter',
  [TerminalSettings, WebhookSettings, ProgramSettings, EmailSettings, NtfySettings, SlackSettings, DiscordSettings],
  { error: 'must be terminal, webhook, program, email, ntfy, slack or discord' },
)
export type NotifierSettings = z.infer<typeof NotifierSettings>
export type SettingsOf<Adapter extends NotifierSettings['adapter']> = Extract<NotifierSettings, { adapter: Adapter }>

/** Returns the name of a notifier in lists and deliveries. */
export const notifierName = ({ name, adapter }: Pick<NotifierSettings, 'name' | 'adapter'>): string => name ?? adapter

export const NotifyList = z
  .array(NotifierSettings)
  .max(50)
  .superRefine((entries, context) => {
    const names = entries.map(notifierName)
    const twice = names.findIndex((name, index) => names.indexOf(name) < index)
    if (twice < 0) return
    context.addIssue({
      code: 'custom',
      path: [twice, 'name'],
      message: `two notifiers are called "${names[twice]}"; give one of them another name`,
    })
  })

/** Returns settings that are safe to show, with the keys of the file: references to secrets stay, their values do not. */
export function redactedSettings(entry: NotifierSettings): Record<string, unknown> {
  const fields = Object.entries(entry).map(([key, value]) => [
    snakeCase(key),
    secretKeys.has(key) ? redacted(key, value) : value,
  ])
  return Object.fromEntries(fields) as Record<string, unknown>
}

const secretKeys = new Set(['url', 'token', 'secret', 'password', 'command'])

function redacted(key: string, value: unknown): unknown {
  // Arguments of a program may be a token; its name is not.
  if (Array.isArray(value)) return value.length > 1 ? [value[0], '[redacted]'] : value
  if (typeof value !== 'string') return value
  return key === 'url' && URL.canParse(value) ? `${new URL(value).origin}/[redacted]` : '[redacted]'
}
