import { systemClock } from '../../../kernel/clock.ts'
import { logLine } from '../../../kernel/log-line.ts'
import { type SettingsOf, notifierName } from '../contract.ts'
import { createNotifier } from '../notifier.ts'
import type { Notification, Notifier } from '../port.ts'
import { cut, onOneLine } from '../text.ts'

/** Writes one line to the terminal of a daemon in the foreground, or to its log. */
export function createTerminalNotifier(settings: SettingsOf<'terminal'>, write: (line: string) => void): Notifier {
  return createNotifier(notifierName(settings), {}, async ({ message }) => write(lineOf(message)))
}

/** Formats a notice as the log of a run: both stand in the same terminal. */
function lineOf({ kind, runId, title, summary, actions, link }: Notification): string {
  const commands = actions.map(({ command }) => onOneLine(command)).filter((command) => command !== '')
  const parts = [
    cut(onOneLine(title), 300),
    cut(onOneLine(summary), 500),
    cut(commands.join(' | '), 1_000),
    onOneLine(link ?? ''),
  ]
  const text = parts.filter((part) => part !== '').join(' · ')
  return logLine({ runId, at: systemClock.at(), source: 'NOTE', code: kind.toUpperCase(), text })
}
