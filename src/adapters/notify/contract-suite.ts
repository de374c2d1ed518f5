import { describe, expect, it } from 'vitest'

import type { Behaviour } from '../../../test/support/endpoints.ts'
import type { Notification, Notifier } from './port.ts'

export interface OpenedNotifier {
  readonly notifier: Notifier
  /** Returns everything that the receiver got, one entry per message. */
  received(): Received[]
  /** Reports whether a request reached the target of the redirect. */
  wasRedirected?(): boolean
}

export interface Received {
  /** The decoded text, as its reader sees it. */
  readonly text: string
  /** The names of the headers, if the protocol has any. */
  readonly headers: readonly string[]
}

export interface NotifierUnderTest {
  /** Opens a notifier with a receiver of this behaviour. `secret` is part of its settings if they contain one. */
  open(behaviour: Behaviour, secret: string): Promise<OpenedNotifier>
  /** The behaviours that its receiver supports. */
  readonly behaviours: readonly Behaviour[]
  /** The error when the receiver fails. */
  readonly failure: RegExp
  /** Whether commands are shown, or pages only. */
  readonly showsCommands: boolean
}

export const messageOfSuite: Notification = {
  id: 'ntf_000000000001',
  audience: 'operator',
  kind: 'gate_pending',
  title: 'Plan of run_7k2 waits for you',
  summary: 'Three briefs, two agents.\nNothing unusual.',
  actions: [
    { label: 'Approve', command: 'agency approve run_7k2', link: 'http://127.0.0.1:7717/runs/run_7k2' },
    { label: 'Reject', command: 'agency reject run_7k2 --reason "…"' },
  ],
  link: 'http://127.0.0.1:7717/runs/run_7k2',
  runId: 'run_7k2',
}

const secret = 'hunter2-4f9c1e'
const soon = { timeoutMs: 300 }
const patient = { timeoutMs: 10_000 }

/** Tests every implementation of `Notifier` against real servers and programs. */
export function notifierContract(name: string, make: () => NotifierUnderTest): void {
  describe(`${name} notifier`, () => {
    const { open, behaviours, failure, showsCommands } = make()
    const can = (behaviour: Behaviour): boolean => behaviours.includes(behaviour)
    const reasonOf = async (behaviour: Behaviour, limits = patient): Promise<string> => {
      const { notifier } = await open(behaviour, secret)
      return notifier.send(messageOfSuite, limits).then(
        () => 'accepted',
        (error: Error) => {
          expect(JSON.stringify([error.message, error.stack, error.cause ?? null])).not.toContain(secret)
          return error.message
        },
      )
    }

    it('delivers a message once, with its actions', async () => {
      const { notifier, received } = await open('takes it', secret)
      await notifier.send(messageOfSuite, patient)
      expect(received()).toHaveLength(1)
      const got = received()[0]?.text
      expect(got).toContain('Plan of run_7k2 waits for you')
      expect(got).toContain('Three briefs, two agents.')
      expect(got).toContain('http://127.0.0.1:7717/runs/run_7k2')
      if (showsCommands) expect(got).toContain('agency approve run_7k2')
    })

    it('delivers a message without any optional content', async () => {
      const { notifier, received } = await open('takes it', secret)
      await notifier.send({ ...messageOfSuite, title: '', summary: '', actions: [], link: null, runId: null }, patient)
      expect(received()).toHaveLength(1)
    })

    it('delivers hostile text without interpreting it', async () => {
      const { notifier, received } = await open('takes it', secret)
      const hostile =
        'a\r\nX-Injected: yes\r\n\r\nb\u0000\u001b[2J\u202e ünï 😀 \ud800 =?UTF-8?Q?x?= <!channel> @everyone `${x}` "\'\\'
      await notifier.send(
        {
          ...messageOfSuite,
          title: hostile,
          summary: `${hostile}\r\n.\r\nQUIT`,
          actions: [{ label: hostile, command: hostile, link: `http://127.0.0.1/\r\nX-Injected: yes` }],
          link: 'javascript:alert(1)\r\nX-Injected: yes',
        },
        patient,
      )
      expect(received()).toHaveLength(1)
      expect(received()[0]?.text).toContain('ünï 😀')
      expect(received()[0]?.headers.map((name) => name.toLowerCase())).not.toContain('x-injected')
    })

    it('cuts a message that is too long', async () => {
      const { notifier, received } = await open('takes it', secret)
      const action = { label: '🚦'.repeat(200), command: 'agency '.repeat(400), link: `http://x/${'y'.repeat(3_000)}` }
      await notifier.send(
        {
          ...messageOfSuite,
          title: `Title ${'😀'.repeat(2_000)}`,
          summary: '漢字'.repeat(50_000),
          actions: Array.from({ length: 30 }, () => action),
        },
        patient,
      )
      expect(received()).toHaveLength(1)
      expect(received()[0]?.text).toContain('Title 😀')
    })

    it('delivers many messages in parallel', async () => {
      const { notifier, received } = await open('takes it', secret)
      const titles = Array.from({ length: 12 }, (_, index) => `number ${index} of twelve`)
      await Promise.all(
        titles.map((title, index) => notifier.send({ ...messageOfSuite, id: `ntf_${index}`, title }, patient)),
      )
      const got = received().map(({ text }) => text)
      expect(titles.filter((title) => !got.some((text) => text.includes(title)))).toEqual([])
      expect(got).toHaveLength(12)
    })

    it.runIf(can('hangs'))('gives up at its timeout', async () => {
      const before = performance.now()
      expect(await reasonOf('hangs', soon)).toBe('did not answer within 0.3 s')
      expect(performance.now() - before).toBeLessThan(5_000)
    })

    it.runIf(can('hangs'))('stops at once when the daemon stops', async () => {
      const { notifier } = await open('hangs', secret)
      const stopping = new AbortController()
      const sending = notifier.send(messageOfSuite, { timeoutMs: 60_000, signal: stopping.signal })
      setImmediate(() => stopping.abort())
      await expect(sending).rejects.toThrow('the daemon is stopping')
    })

    it.runIf(can('fails'))('reports the failure of the receiver', async () => {
      expect(await reasonOf('fails')).toMatch(failure)
    })

    it.runIf(can('fails and repeats what it was sent'))('removes secrets that the receiver repeats', async () => {
      const reason = await reasonOf('fails and repeats what it was sent')
      expect(reason).toContain('[redacted]')
    })

    it.runIf(can('fails and never stops talking'))('reads only the beginning of a long error', async () => {
      const reason = await reasonOf('fails and never stops talking')
      expect(reason).not.toBe('accepted')
      expect(reason.length).toBeLessThanOrEqual(500)
    })

    it.runIf(can('takes it and never stops talking'))('does not wait for the end of an endless answer', async () => {
      expect(await reasonOf('takes it and never stops talking')).toBe('accepted')
    })

    it.runIf(can('points elsewhere'))('does not follow redirects', async () => {
      const { notifier, wasRedirected } = await open('points elsewhere', secret)
      await expect(notifier.send(messageOfSuite, patient)).rejects.toThrow(/answered 307.*redirects are not followed/)
      expect(wasRedirected?.()).toBe(false)
    })

    it.runIf(can('hangs up'))('reports a connection closed without an answer', async () => {
      expect(await reasonOf('hangs up')).toMatch(/closed/i)
    })

    it.runIf(can('is not there'))('reports an unreachable receiver', async () => {
      expect(await reasonOf('is not there')).toMatch(/cannot be reached: .*ECONNREFUSED|no such program/)
    })
  })
}
