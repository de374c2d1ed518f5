import { describe, expect, it } from 'vitest'

import type { Behaviour } from '../../../test/support/endpoints.ts'
import type { Notification, Notifier } from './port.ts'

export interface OpenedNotifier {
  readonly notifier: Notifier
  /** Everything that the other side got, one for each message. */
  received(): Received[]
  /** Whether anybody came to the place that a redirect points to. */
  wasRedirected?(): boolean
}

export interface Received {
  /** As its reader sees it, decoded. */
  readonly text: string
  /** The names of what came before the text, where the way there has such lines. */
  readonly headers: readonly string[]
}

export interface NotifierUnderTest {
  /** A notifier whose other side behaves so. `secret` is part of its settings wherever they hold one. */
  open(behaviour: Behaviour, secret: string): Promise<OpenedNotifier>
  /** What its other side can do at all. */
  readonly behaviours: readonly Behaviour[]
  /** What an error says when the other side fails. */
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

/** What holds for every implementation of `Notifier`, against real servers and programs. */
export function notifierContract(name: string, make: () => NotifierUnderTest): void {
  describe(`${name} notifier`, () => {
    const { open, behaviours, failure, showsCommands } = make()
    const can = (behaviour: Behaviour): boolean => behaviours.includes(behaviour)
    const reasonOf = async (behaviour: Behaviour, limits = patient): Promise<string> => {
      const { notifier } = await open(behaviour, secret)
      return notifier.send(messageOfSuite, limits).then(
        () => 'it was taken',
        (error: Error) => {
          expect(JSON.stringify([error.message, error.stack, error.cause ?? null])).not.toContain(secret)
          return error.message
        },
      )
    }

    it('brings a message to the other side, once, with what can be done about it', async () => {
      const { notifier, received } = await open('takes it', secret)
      await notifier.send(messageOfSuite, patient)
      expect(received()).toHaveLength(1)
      const got = received()[0]?.text
      expect(got).toContain('Plan of run_7k2 waits for you')
      expect(got).toContain('Three briefs, two agents.')
      expect(got).toContain('http://127.0.0.1:7717/runs/run_7k2')
      if (showsCommands) expect(got).toContain('agency approve run_7k2')
    })

    it('takes the barest message there can be', async () => {
      const { notifier, received } = await open('takes it', secret)
      await notifier.send({ ...messageOfSuite, title: '', summary: '', actions: [], link: null, runId: null }, patient)
      expect(received()).toHaveLength(1)
    })

    it('brings any text, however hostile, and nothing more', async () => {
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

    it('brings what is too long as far as it goes', async () => {
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

    it('carries many at once', async () => {
      const { notifier, received } = await open('takes it', secret)
      const titles = Array.from({ length: 12 }, (_, index) => `number ${index} of twelve`)
      await Promise.all(
        titles.map((title, index) => notifier.send({ ...messageOfSuite, id: `ntf_${index}`, title }, patient)),
      )
      const got = received().map(({ text }) => text)
      expect(titles.filter((title) => !got.some((text) => text.includes(title)))).toEqual([])
      expect(got).toHaveLength(12)
    })

    it.runIf(can('hangs'))('gives up at its limit', async () => {
      const before = performance.now()
      expect(await reasonOf('hangs', soon)).toBe('did not answer within 0.3 s')
      expect(performance.now() - before).toBeLessThan(5_000)
    })

    it.runIf(can('hangs'))('ends at once when the daemon stops', async () => {
      const { notifier } = await open('hangs', secret)
      const stopping = new AbortController()
      const sending = notifier.send(messageOfSuite, { timeoutMs: 60_000, signal: stopping.signal })
      setImmediate(() => stopping.abort())
      await expect(sending).rejects.toThrow('the daemon is stopping')
    })

    it.runIf(can('fails'))('says how the other side failed', async () => {
      expect(await reasonOf('fails')).toMatch(failure)
    })

    it.runIf(can('fails and repeats what it was sent'))('says no secret, even where it is told one', async () => {
      const reason = await reasonOf('fails and repeats what it was sent')
      expect(reason).toContain('[redacted]')
    })

    it.runIf(can('fails and never stops talking'))('listens to a long excuse only for a while', async () => {
      const reason = await reasonOf('fails and never stops talking')
      expect(reason).not.toBe('it was taken')
      expect(reason.length).toBeLessThanOrEqual(500)
    })

    it.runIf(can('takes it and never stops talking'))('does not wait for the end of an endless answer', async () => {
      expect(await reasonOf('takes it and never stops talking')).toBe('it was taken')
    })

    it.runIf(can('points elsewhere'))('follows nobody elsewhere', async () => {
      const { notifier, wasRedirected } = await open('points elsewhere', secret)
      await expect(notifier.send(messageOfSuite, patient)).rejects.toThrow(/answered 307.*redirects are not followed/)
      expect(wasRedirected?.()).toBe(false)
    })

    it.runIf(can('hangs up'))('says that nobody answered', async () => {
      expect(await reasonOf('hangs up')).toMatch(/closed/i)
    })

    it.runIf(can('is not there'))('says that nobody is there', async () => {
      expect(await reasonOf('is not there')).toMatch(/cannot be reached: .*ECONNREFUSED|no such program/)
    })
  })
}
