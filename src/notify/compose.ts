import { notifierName, type NotifierSettings } from '../adapters/notify/contract.ts'
import { createDiscordNotifier } from '../adapters/notify/discord/notifier.ts'
import { createNtfyNotifier } from '../adapters/notify/ntfy/notifier.ts'
import type { ConfiguredNotifier, Notifier } from '../adapters/notify/port.ts'
import { createProgramNotifier } from '../adapters/notify/program/notifier.ts'
import { createSlackNotifier } from '../adapters/notify/slack/notifier.ts'
import { createTerminalNotifier } from '../adapters/notify/terminal/notifier.ts'
import { createWebhookNotifier } from '../adapters/notify/webhook/notifier.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface NotifierParts {
  environment: Environment
  /** Writes a line to the daemon's terminal or log. */
  write: (line: string) => void
}

/** Creates the notifiers that `notify:` in config.yaml lists. */
export const createNotifiers = (entries: readonly NotifierSettings[], parts: NotifierParts): ConfiguredNotifier[] =>
  entries.map((entry) => ({
    notifier: notifierOf(entry, parts),
    kinds: entry.on ?? null,
    isTeamOnly: entry.teamOnly ?? false,
    timeoutMs: entry.timeoutSeconds * 1_000,
  }))

function notifierOf(entry: NotifierSettings, { environment, write }: NotifierParts): Notifier {
  switch (entry.adapter) {
    case 'terminal':
      return createTerminalNotifier(entry, write)
    case 'webhook':
      return createWebhookNotifier(entry, environment)
    case 'program':
      return createProgramNotifier(entry, environment)
    case 'email':
      return lazyNotifier(notifierName(entry), async () => {
        const { createEmailNotifier } = await import('../adapters/notify/email/notifier.ts')
        return createEmailNotifier(entry, environment)
      })
    case 'ntfy':
      return createNtfyNotifier(entry, environment)
    case 'slack':
      return createSlackNotifier(entry, environment)
    case 'discord':
      return createDiscordNotifier(entry, environment)
  }
}

/** Loads a notifier at its first message: the mail library is large, and few daemons send mail. */
function lazyNotifier(name: string, load: () => Promise<Notifier>): Notifier {
  let loaded: Promise<Notifier> | null = null
  return { name, send: async (message, limits) => (await (loaded ??= load())).send(message, limits) }
}
