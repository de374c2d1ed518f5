import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { boxHere } from '../../support/box-here.ts'
import type { Attack } from '../contract.ts'
import type { Puppet } from '../daemon-stage.ts'
import { headersOf, http, signIn } from './browser-session.ts'
import type { LocalStage } from './stage.ts'

const skip = (): string | null => (boxHere.ok ? null : boxHere.reason)

const isWorking = async (puppet: Puppet): Promise<boolean> => (await puppet.ask('GET', '/whoami')).status === 200

/** Sends a request from inside a box to the socket of the box, with these headers. */
async function fromBox(puppet: Puppet, headers: Record<string, string>): Promise<number> {
  const code = `require("http").request({ socketPath: process.env.AGENCY_SOCKET, path: "/api/whoami", headers: ${JSON.stringify(headers)} }, (answer) => { console.log(answer.statusCode); answer.resume() }).end()`
  return Number((await puppet.shell(`exec '${process.execPath}' -e '${code}'`)).out)
}

export const tokenAttacks: readonly Attack<LocalStage>[] = [
  {
    name: 'use the token of a boxed attempt over TCP',
    skip,
    control: async ({ puppet }) => isWorking(await puppet()),
    attack: async ({ daemon, puppet }) => {
      const headers = { authorization: `Bearer ${(await puppet()).token}` }
      return (await http(daemon.address, 'GET', '/api/whoami', { headers })).status === 200
    },
  },
  {
    name: 'use the token of a boxed attempt on the socket of the daemon',
    skip,
    control: async ({ puppet }) => isWorking(await puppet()),
    attack: async ({ daemon, puppet }) => {
      const headers = { authorization: `Bearer ${(await puppet()).token}` }
      const socketPath = join(daemon.home, 'agency.sock')
      return (await http(daemon.address, 'GET', '/api/whoami', { headers, socketPath })).status === 200
    },
  },
  {
    name: 'use the token of another attempt in one’s own box',
    skip,
    isLong: true,
    control: async ({ puppet }) => {
      const own = await puppet()
      return (await fromBox(own, { authorization: `Bearer ${own.token}` })) === 200
    },
    attack: async ({ daemon, puppet }) => {
      const other = await daemon.puppet()
      return (await fromBox(await puppet(), { authorization: `Bearer ${other.token}` })) === 200
    },
  },
  {
    name: 'use a stolen operator token in a box',
    skip,
    control: async ({ daemon }) => (await daemon.ask('GET', '/whoami')).status === 200,
    attack: async ({ daemon, puppet }) =>
      (await fromBox(await puppet(), { authorization: `Bearer ${daemon.operatorToken}` })) === 200,
  },
  {
    name: 'use a stolen session of the operator in a box',
    skip,
    control: async ({ daemon }) => {
      const headers = headersOf(await signIn(daemon))
      return (await http(daemon.address, 'GET', '/api/whoami', { headers })).status === 200
    },
    attack: async ({ daemon, puppet }) => (await fromBox(await puppet(), headersOf(await signIn(daemon)))) === 200,
  },
  {
    name: 'find a token in the list of processes',
    control: async ({ puppet }) => {
      const { token } = await puppet()
      return processTexts('environ').some((text) => text.includes(token))
    },
    attack: async ({ daemon, puppet }) => {
      const secrets = [(await puppet()).token, daemon.operatorToken]
      return processTexts('cmdline').some((text) => secrets.some((secret) => text.includes(secret)))
    },
  },
]

/** Returns this file of every process that may be read. */
const processTexts = (name: 'cmdline' | 'environ'): string[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/${name}`, 'latin1')]
      } catch {
        return []
      }
    })
