import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** A real terminal of 80 by 50 characters, in which a command is typed and read as a person does. */
export interface Screen {
  /** Types text; `Enter` and `C-c` are keys. */
  type(...keys: string[]): void
  /** Returns the text on the terminal, with its colour codes if asked for. */
  read(colours?: 'colours'): string
  close(): void
}

/** Opens a terminal with a shell in which `agency` calls the given words. */
export function openScreen(words: readonly string[], env: Readonly<Record<string, string>>): Screen {
  const socket = `agency-${randomBytes(6).toString('hex')}`
  const tmux = (...given: string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...given], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8', ...env },
    })
  const quoted = words.map((word) => `'${word}'`).join(' ')
  tmux('new-session', '-d', '-x', '80', '-y', '50', 'env', 'TERM=xterm-256color', 'PS1=$ ', 'sh')
  const type: Screen['type'] = (...keys) => void tmux('send-keys', ...keys)
  type(`agency() { ${quoted} "$@"; }; clear`, 'Enter')
  return {
    type,
    read: (colours) => tmux('capture-pane', '-p', ...(colours === undefined ? [] : ['-e'])),
    close: () => void tmux('kill-server'),
  }
}
