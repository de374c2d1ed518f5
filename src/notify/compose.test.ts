import { describe, expect, it } from 'vitest'

import { httpEndpoint, smtpEndpoint } from '../../test/support/endpoints.ts'
import { NotifyList } from '../adapters/notify/contract.ts'
import { messageOfSuite } from '../adapters/notify/contract-suite.ts'
import { createNotifiers } from './compose.ts'

describe('the list of notifiers', () => {
  it('becomes one notifier per entry that reaches its receiver', async () => {
    const hook = await httpEndpoint('takes it')
    const mail = await smtpEndpoint('takes it')
    const lines: string[] = []
    const entries = NotifyList.parse([
      { adapter: 'terminal', on: ['run_done'], timeoutSeconds: 2 },
      { adapter: 'webhook', url: `${hook.origin}/webhook` },
      { adapter: 'slack', url: `${hook.origin}/slack` },
      { adapter: 'discord', url: { env: 'DISCORD' } },
      { adapter: 'ntfy', name: 'telephone', url: `${hook.origin}/ntfy` },
      { adapter: 'email', server: `smtp://127.0.0.1:${mail.port}`, from: 'a@b', to: ['c@d'] },
      { adapter: 'program', command: ['cat'] },
    ])
    const environment = { ...process.env, DISCORD: `${hook.origin}/discord` }
    const notifiers = createNotifiers(entries, { environment, write: (line) => void lines.push(line) })
    for (const { notifier, timeoutMs } of notifiers) await notifier.send(messageOfSuite, { timeoutMs })
    expect(notifiers.map(({ notifier }) => notifier.name)).toEqual([
      'terminal',
      'webhook',
      'slack',
      'discord',
      'telephone',
      'email',
      'program',
    ])
    expect(notifiers[0]).toMatchObject({ kinds: ['run_done'], timeoutMs: 2_000 })
    expect(notifiers[1]).toMatchObject({ kinds: null, timeoutMs: 10_000 })
    expect(hook.requests.map(({ path }) => path)).toEqual(['/webhook', '/slack', '/discord', '/ntfy'])
    expect([lines.length, mail.mails.length]).toEqual([1, 1])
  })
})
