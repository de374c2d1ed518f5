import { type SettingsOf, notifierName } from '../contract.ts'
import { createNotifier } from '../notifier.ts'
import type { Notification, Notifier } from '../port.ts'
import { cut, onOneLine } from '../text.ts'

/** Writes one line to the terminal of a daemon in the foreground, or to its log. */
export function createTerminalNotifier(settings: SettingsOf<'terminal'>, write: (line: string) => void): Notifier {
  return createNotifier(notifierName(settings), {}, async ({ message }) => write(lineOf(message)))
}

function lineOf({ kind, title, summary, actions, link }: Notification): string {
  const commands = actions.map(({ command }) => onOneLine(command)).filter((command) => command !== '')
  return [
    `${kind}: ${cut(onOneLine(title), 300)}`,
    cut(onOneLine(summary), 500),
    cut(commands.join(' | '), 1_000),
    onOneLine(link ?? ''),
  ]
    .filter((part) => part !== '')
    .join(' · ')
}
