import { type SettingsOf, notifierName } from '../contract.ts'
import { post } from '../http.ts'
import { createNotifier, type Environment } from '../notifier.ts'
import type { Notification, Notifier } from '../port.ts'
import { cut, onLines, onOneLine } from '../text.ts'

const maxContent = 2_000
/** Disables previews of links: Discord's servers would fetch them. */
const suppressEmbeds = 4

/** Posts to a Discord webhook. Mentions are disabled for every message text. */
export function createDiscordNotifier(settings: SettingsOf<'discord'>, environment: Environment): Notifier {
  return createNotifier(notifierName(settings), environment, ({ message, signal, reveal }) =>
    post({
      url: reveal(settings.url),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        content: contentOf(message),
        allowed_mentions: { parse: [] },
        flags: suppressEmbeds,
      }),
      signal,
    }),
  )
}

/** Actions keep their space; a long summary is cut instead. */
function contentOf({ kind, title, summary, actions, link }: Notification): string {
  const head = `**${cut(escaped(onOneLine(title)), 300) || kind}**`
  const rest = [
    ...actions.slice(0, 5).map(({ label, command, link: page }) => actionText(label, command, page)),
    cut(onOneLine(link ?? ''), 300),
  ]
    .filter((part) => part !== '')
    .join('\n')
  const tail = rest === '' ? '' : `\n${cut(rest, 1_200)}`
  const text = escaped(onLines(summary))
  const middle = text === '' ? '' : `\n${cut(text, maxContent - head.length - tail.length - 1)}`
  return cut(`${head}${middle}${tail}`, maxContent)
}

const actionText = (label: string, command: string, page: string | undefined): string =>
  [
    `• ${cut(escaped(onOneLine(label)), 75)}`,
    command === '' ? '' : `\`${cut(onOneLine(command).replaceAll('`', "'"), 150)}\``,
    cut(onOneLine(page ?? ''), 200),
  ]
    .filter((part) => part !== '')
    .join('  ')

const escaped = (text: string): string => text.replace(/[\\*_~`|>#[\]()]/g, String.raw`\$&`)
