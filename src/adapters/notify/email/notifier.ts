import { isIP, connect, type Socket } from 'node:net'

import { createTransport } from 'nodemailer'

import { type SettingsOf, notifierName } from '../contract.ts'
import { createNotifier, type Environment, type Sending } from '../notifier.ts'
import type { Notifier } from '../port.ts'
import { cut, onOneLine, plainText } from '../text.ts'

/** Sends plain text by SMTP. A password is never sent unencrypted, except to this machine itself. */
export function createEmailNotifier(settings: SettingsOf<'email'>, environment: Environment): Notifier {
  return createNotifier(notifierName(settings), environment, async (sending) => {
    const { user, password } = settings
    const { protocol, hostname, port } = new URL(settings.server)
    const host = hostname.replace(/^\[|\]$/g, '')
    const isSecure = protocol === 'smtps:'
    const pass = password === undefined ? undefined : sending.reveal(password)
    const number = port === '' ? (isSecure ? 465 : user === undefined ? 25 : 587) : Number(port)
    const socket = await openSocket(host, number, sending.signal)
    const transport = createTransport({
      connection: socket,
      host,
      port: number,
      secure: isSecure,
      requireTLS: !isSecure && user !== undefined && !isLoopback(host),
      ...(user === undefined ? {} : { auth: { user, pass: pass ?? '' } }),
      maxResponseSize: 64 * 1_024,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail(mailOf(settings, sending))
    } finally {
      transport.close()
      socket.destroy()
    }
  })
}

function mailOf({ from, to }: SettingsOf<'email'>, { message }: Sending) {
  return {
    from,
    to,
    subject: cut(onOneLine(message.title), 200) || message.kind,
    text: `${plainText(message)}\n`,
    messageId: `<${message.id}@agency.invalid>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Agency-Kind': message.kind },
  }
}

/** Opens the socket here, because the library cannot be interrupted: destroying its socket ends it at once. */
async function openSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ host, port })
  signal.addEventListener('abort', () => socket.destroy(new Error('timed out')), { once: true })
  socket.once('connect', resolve)
  socket.on('error', (error: NodeJS.ErrnoException) => {
    reject(new Error(`cannot be reached: ${error.message || error.code}`, { cause: error }))
  })
  await promise
  return socket
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
