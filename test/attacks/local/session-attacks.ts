import { existsSync } from 'node:fs'
import { request as httpRequest } from 'node:http'

import type { Attack } from '../contract.ts'
import { createLink, headersOf, http, isOperator, redeem, signIn } from './browser-session.ts'
import type { LocalStage } from './stage.ts'

export const sessionAttacks: readonly Attack<LocalStage>[] = [
  {
    name: 'use a cookie that another port has received',
    control: async ({ daemon }) => isOperator(daemon, headersOf(await signIn(daemon))),
    attack: async ({ daemon }) => isOperator(daemon, { cookie: (await signIn(daemon)).cookie }),
  },
  {
    name: 'use the secret of a page without its cookie',
    control: async ({ daemon }) => isOperator(daemon, headersOf(await signIn(daemon))),
    attack: async ({ daemon }) => isOperator(daemon, { 'agency-page': (await signIn(daemon)).page }),
  },
  {
    name: 'join the cookie of one browser and the secret of another',
    control: async ({ daemon }) => isOperator(daemon, headersOf(await signIn(daemon))),
    attack: async ({ daemon }) => {
      const [one, two] = [await signIn(daemon), await signIn(daemon)]
      return isOperator(daemon, { cookie: one.cookie, 'agency-page': two.page })
    },
  },
  {
    name: 'reach the daemon by another name below localhost',
    control: async ({ daemon, hostName }) => {
      const { port } = new URL(daemon.address)
      return isOperator(daemon, { ...headersOf(await signIn(daemon)), host: `${hostName}:${port}` })
    },
    attack: async ({ daemon, hostName }) => {
      const { port } = new URL(daemon.address)
      const browser = headersOf(await signIn(daemon))
      const names = [`other.localhost:${port}`, `a.${hostName}:${port}`, hostName, `${hostName}:${Number(port) + 1}`]
      for (const host of names) if (await isOperator(daemon, { ...browser, host })) return true
      return false
    },
  },
  {
    name: 'change something from a page on another port of the same name',
    control: async ({ daemon, hostName }) => {
      const host = `${hostName}:${new URL(daemon.address).port}`
      return isOperator(daemon, { ...headersOf(await signIn(daemon)), host, origin: `http://${host}` })
    },
    attack: async ({ daemon, hostName }) => {
      const host = `${hostName}:${new URL(daemon.address).port}`
      return isOperator(daemon, { ...headersOf(await signIn(daemon)), host, origin: `http://${hostName}:1` })
    },
  },
  {
    name: 'use a sign-in link twice',
    control: async ({ daemon }) => (await redeem(daemon, (await createLink(daemon)).code)).status === 200,
    attack: async ({ daemon }) => {
      const { code } = await createLink(daemon)
      await redeem(daemon, code)
      return (await redeem(daemon, code)).headers['set-cookie'] !== undefined
    },
  },
  {
    name: 'have a browser use up a link by loading or prefetching it',
    control: async ({ daemon }) => (await redeem(daemon, (await createLink(daemon)).code)).status === 200,
    attack: async ({ daemon }) => {
      const { code } = await createLink(daemon)
      for (const [method, headers] of [
        ['GET', { 'sec-purpose': 'prefetch' }],
        ['GET', {}],
        ['HEAD', {}],
      ] as const)
        await http(daemon.address, method, `/enter?code=${code}`, { headers })
      return (await redeem(daemon, code)).status !== 200
    },
  },
  {
    name: 'sign in from a page of another origin',
    control: async ({ daemon }) => {
      const origin = daemon.address
      return (await redeem(daemon, (await createLink(daemon)).code, { origin })).status === 200
    },
    attack: async ({ daemon }) => {
      const origin = 'http://127.0.0.1:1'
      return (await redeem(daemon, (await createLink(daemon)).code, { origin })).status === 200
    },
  },
  {
    name: 'read a link from its file after it was used',
    control: async ({ daemon }) => existsSync((await createLink(daemon, true)).file),
    attack: async ({ daemon }) => {
      const { code, file } = await createLink(daemon, true)
      await redeem(daemon, code)
      return existsSync(file)
    },
  },
  {
    name: 'go on with a session that the operator has revoked',
    control: async ({ daemon }) => isOperator(daemon, headersOf(await signIn(daemon))),
    attack: async ({ daemon }) => {
      const browser = headersOf(await signIn(daemon))
      const { code } = await daemon.cli('sessions', 'revoke', '--all')
      return code !== 0 || isOperator(daemon, browser)
    },
  },
  {
    name: 'go on in another tab after the browser was signed out',
    control: async ({ daemon }) => isOperator(daemon, headersOf(await signIn(daemon))),
    attack: async ({ daemon }) => {
      const headers = headersOf(await signIn(daemon))
      const own = { ...headers, origin: daemon.address }
      const { status } = await http(daemon.address, 'POST', '/api/sessions/sign-out', { headers: own, body: {} })
      return status !== 200 || isOperator(daemon, headers)
    },
  },
  {
    name: 'follow events by a stream whose session was revoked',
    control: async ({ daemon }) =>
      !(await endsWithin(daemon.address, headersOf(await signIn(daemon)), 500, async () => {})),
    attack: async ({ daemon }) => {
      const revoke = async (): Promise<unknown> => daemon.ask('POST', '/sessions/revoke', {})
      return !(await endsWithin(daemon.address, headersOf(await signIn(daemon)), 5_000, revoke))
    },
  },
]

/** Opens the stream of all events, does something, and reports whether the stream has ended soon after. */
function endsWithin(
  address: string,
  headers: Record<string, string>,
  ms: number,
  act: () => Promise<unknown>,
): Promise<boolean> {
  const { port } = new URL(address)
  return new Promise((resolve, reject) => {
    const path = '/api/events'
    const stream = httpRequest({ host: '127.0.0.1', port, path, headers: { ...headers, accept: 'text/event-stream' } })
    stream.on('error', reject)
    stream.on('response', (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`the stream was refused: ${answer.statusCode}`))
      const timer = setTimeout(() => finish(false), ms)
      const finish = (ended: boolean): void => {
        clearTimeout(timer)
        stream.off('error', reject).on('error', () => {})
        stream.destroy()
        resolve(ended)
      }
      answer.on('error', () => {}).on('end', () => finish(true))
      answer.once('data', () => {
        answer.resume()
        act().catch(reject)
      })
    })
    stream.end()
  })
}
