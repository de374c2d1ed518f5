import { type SettingsOf, notifierName } from '../contract.ts'
import { post } from '../http.ts'
import { createNotifier, type Environment } from '../notifier.ts'
import type { Notification, Notifier } from '../port.ts'
import { cut, onLines, onOneLine } from '../text.ts'

/** Posts to an incoming webhook of Slack. Its limits: 150 characters in a header, 3,000 in a section, 50 blocks. */
export function createSlackNotifier(settings: SettingsOf<'slack'>, environment: Environment): Notifier {
  return createNotifier(notifierName(settings), environment, ({ message, signal, reveal }) =>
    post({
      url: reveal(settings.url),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payloadOf(message)),
      signal,
    }),
  )
}

function payloadOf(message: Notification): Record<string, unknown> {
  const title = cut(onOneLine(message.title), 150)
  const text = [cut(escaped(onLines(message.summary)), 1_500), actionsOf(message), linkTo(message.link, 'Open')]
    .filter((part) => part !== '')
    .join('\n')
  const blocks: unknown[] = [
    { type: 'header', text: { type: 'plain_text', text: title || message.kind, emoji: false } },
  ]
  if (text !== '') blocks.push({ type: 'section', text: { type: 'mrkdwn', text: cut(text, 3_000), verbatim: true } })
  return { text: escaped(title), blocks, unfurl_links: false, unfurl_media: false }
}

const actionsOf = ({ actions }: Notification): string =>
  actions
    .slice(0, 5)
    .map(({ label, command, link }) => {
      const words = [
        cut(escaped(onOneLine(label)), 75),
        command === '' ? '' : `\`${cut(escaped(onOneLine(command)).replaceAll('`', "'"), 150)}\``,
        linkTo(link ?? null, 'page'),
      ]
      return `• ${words.filter((word) => word !== '').join('  ')}`
    })
    .join('\n')

/** Slack interprets text between < and >: a mention such as <!channel>, or a link under another name. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const linkTo = (link: string | null, label: string): string =>
  link === null || !/^https?:\/\/[^\s<>|]{1,300}$/.test(link) ? '' : `<${link.replaceAll('&', '&amp;')}|${label}>`
