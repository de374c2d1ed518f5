import { type NotificationKind, type SettingsOf, notifierName } from '../contract.ts'
import { post } from '../http.ts'
import { createNotifier, type Environment } from '../notifier.ts'
import type { Notification, Notifier } from '../port.ts'
import { cut, onOneLine, plainText } from '../text.ts'

/** Posts to a topic of ntfy, on the public server or an own one; the address ends with the topic. */
export function createNtfyNotifier(settings: SettingsOf<'ntfy'>, environment: Environment): Notifier {
  return createNotifier(notifierName(settings), environment, ({ message, signal, reveal }) => {
    const { url, token, priority } = settings
    const headers: Record<string, string> = {
      'content-type': 'text/plain; charset=utf-8',
      title: encodedWord(cut(onOneLine(message.title), 200) || message.kind),
      priority: String(priority ?? priorityOf(message.kind)),
      tags: message.kind,
    }
    if (isWebAddress(message.link)) headers['click'] = message.link
    const actions = actionsOf(message)
    if (actions !== '[]') headers['actions'] = actions
    if (token !== undefined) headers['authorization'] = `Bearer ${reveal(token)}`
    return post({ url: reveal(url), headers, body: cutBytes(plainText(message), maxBytes), signal })
  })
}

/** Above 4,096 bytes a server turns the text into an attachment. */
const maxBytes = 4_000

const urgentKinds: ReadonlySet<NotificationKind> = new Set(['gate_pending', 'question_asked', 'run_paused'])
const priorityOf = (kind: NotificationKind): number => (urgentKinds.has(kind) ? 4 : 3)

/** Header values are ASCII here: other characters are encoded, and no text can start a new header. */
function encodedWord(text: string): string {
  if (/^[ -~]*$/.test(text) && !text.includes('=?')) return text
  const words: string[] = []
  let word = ''
  for (const character of text) {
    // 75 characters is the limit of one word: 45 bytes of text in base64 and the delimiters around it.
    if (Buffer.byteLength(word + character) > 45) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join(' ')
}

/** Returns at most three actions, and only pages: a phone has no terminal. */
function actionsOf({ actions }: Notification): string {
  const views = actions
    .flatMap(({ label, link }) =>
      isWebAddress(link) ? [{ action: 'view', label: cut(onOneLine(label), 40), url: link }] : [],
    )
    .slice(0, 3)
  return JSON.stringify(views).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const isWebAddress = (link: string | null | undefined): link is string =>
  typeof link === 'string' && /^https?:\/\/[!-~]{1,1000}$/.test(link)

function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= max) return text
  return `${new TextDecoder().decode(bytes.subarray(0, max - 3), { stream: true })}…`
}
