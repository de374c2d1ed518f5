import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { BrowserContext, Page } from 'playwright-core'

import { noBrowser, openBrowser, openContext } from '../../support/browser.ts'
import type { Attack } from '../contract.ts'
import { createLink, isOperator } from './browser-session.ts'
import type { LocalStage } from './stage.ts'

const skip = (): string | null => noBrowser

/** A browser that is signed in, and a server of another user on another port of the same name. */
interface Scene {
  readonly page: Page
  readonly context: BrowserContext
  /** The secret of the page that signed in. */
  readonly secret: string
  readonly neighbour: string
  /** The cookies that the neighbour has received. */
  readonly received: string[]
}

export const browserAttacks: readonly Attack<LocalStage>[] = [
  {
    name: 'collect the cookie on another port of the same name and use it',
    skip,
    isLong: true,
    control: (stage) =>
      play(stage, async ({ context, secret, neighbour, received }) => {
        await (await context.newPage()).goto(neighbour)
        // The cookie does go there; with the secret it would be a session.
        return isOperator(stage.daemon, { cookie: received[0] ?? '', 'agency-page': secret })
      }),
    attack: (stage) =>
      play(stage, async ({ context, neighbour, received }) => {
        await (await context.newPage()).goto(neighbour)
        return isOperator(stage.daemon, { cookie: received[0] ?? '' })
      }),
  },
  {
    name: 'read the secret of the page from another port of the same name',
    skip,
    isLong: true,
    control: (stage) => play(stage, async ({ page, secret }) => (await stored(page)) === secret),
    attack: (stage) =>
      play(stage, async ({ page, context, neighbour }) => {
        const other = await context.newPage()
        await other.goto(neighbour)
        const answered = await other.evaluate(
          () =>
            new Promise<boolean>((resolve) => {
              const channel = new BroadcastChannel('agency-session')
              channel.onmessage = () => resolve(true)
              // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel takes no origin.
              channel.postMessage({ kind: 'ask' })
              setTimeout(() => resolve(false), 1_000)
            }),
        )
        // The same tab has another storage for each origin.
        await page.goto(neighbour)
        return answered || (await stored(page)) !== null
      }),
  },
  {
    name: 'call the daemon with the cookie of the browser from another port of the same name',
    skip,
    isLong: true,
    control: (stage) =>
      play(stage, ({ page, secret }) =>
        page.evaluate(
          async (own) => (await fetch('/api/status', { headers: { 'agency-page': own } })).status === 200,
          secret,
        ),
      ),
    attack: (stage) =>
      play(stage, async ({ context, neighbour }) => {
        const page = await context.newPage()
        await page.goto(neighbour)
        const target = `http://${stage.hostName}:${new URL(stage.daemon.address).port}/api/status`
        return page.evaluate(
          (url) =>
            fetch(url, { credentials: 'include' }).then(
              ({ status }) => status === 200,
              () => false,
            ),
          target,
        )
      }),
  },
  {
    name: 'have the cookie sent to another name of this machine',
    skip,
    isLong: true,
    control: (stage) =>
      play(stage, async ({ context, neighbour, received }) => {
        await (await context.newPage()).goto(neighbour)
        return (received[0] ?? '').includes('agency_session=')
      }),
    attack: (stage) =>
      play(stage, async ({ context, neighbour, received }) => {
        const page = await context.newPage()
        const { port } = new URL(neighbour)
        for (const name of ['localhost', '127.0.0.1', 'agency-other.localhost'])
          await page.goto(`http://${name}:${port}/`)
        return received.some((cookie) => cookie.includes('agency_session='))
      }),
  },
]

const stored = (page: Page): Promise<string | null> => page.evaluate(() => sessionStorage.getItem('agency.page'))

async function play(stage: LocalStage, act: (scene: Scene) => Promise<boolean>): Promise<boolean> {
  const received: string[] = []
  const server = createServer((request, answer) => {
    received.push(request.headers.cookie ?? '')
    answer.setHeader('content-type', 'text/html').end('<title>a neighbour</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await openBrowser()
  try {
    const context = await openContext(browser)
    const page = await context.newPage()
    const { port } = new URL(stage.daemon.address)
    await page.goto(`http://${stage.hostName}:${port}/healthz`)
    const { code } = await createLink(stage.daemon)
    const secret = await page.evaluate(signInHere, code)
    return await act({ page, context, secret, received, neighbour: `http://${stage.hostName}:${portOf(server)}/` })
  } finally {
    await browser.close()
    server.close()
  }
}

/** Redeems a link in a page, as the dashboard does. */
async function signInHere(code: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('/enter', { method: 'POST', headers, body: JSON.stringify({ code }) })
  const { page } = (await answer.json()) as { page: string }
  sessionStorage.setItem('agency.page', page)
  return page
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port
