import { createHmac } from 'node:crypto'

import { type SettingsOf, notifierName } from '../contract.ts'
import { post } from '../http.ts'
import { createNotifier, type Environment } from '../notifier.ts'
import type { Notifier } from '../port.ts'
import { jsonText } from '../text.ts'

/** Posts the message as JSON to any address; signed if a secret is set, so that the receiver can detect forgeries. */
export function createWebhookNotifier(settings: SettingsOf<'webhook'>, environment: Environment): Notifier {
  return createNotifier(notifierName(settings), environment, ({ message, signal, reveal }) => {
    const { url, token, secret } = settings
    const body = jsonText(message)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'idempotency-key': message.id,
    }
    if (token !== undefined) headers['authorization'] = `Bearer ${reveal(token)}`
    if (secret !== undefined)
      headers['x-agency-signature'] = `sha256=${createHmac('sha256', reveal(secret)).update(body).digest('hex')}`
    return post({ url: reveal(url), headers, body, signal })
  })
}
