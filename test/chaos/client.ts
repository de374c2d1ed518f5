import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

import { homePaths } from '../../src/daemon/home.ts'
import { pause } from '../../src/kernel/clock.ts'

export interface Client {
  /** Sends one request as the operator. Rejects without a complete answer. */
  send<Answer>(method: string, path: string, options?: SendOptions): Promise<Answer>
  /** Repeats the request until it is answered, across any number of restarts. */
  insist<Answer>(method: string, path: string, options?: SendOptions): Promise<Answer>
}

export interface SendOptions {
  body?: unknown
  /** Idempotency-Key */
  key?: string
}

/** An answer with an error status, which a repetition would not change. */
export class Answered extends Error {}

/** Creates a client; with `keepAlive` it uses one connection for all requests, otherwise one per request. */
export function createClient(home: string, { keepAlive = false, patienceMs = 120_000 } = {}): Client {
  const paths = homePaths({ AGENCY_HOME: home })
  const agent = keepAlive && new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Client['send'] = (method, path, { body, key } = {}) =>
    new Promise((resolve, reject) => {
      const token = readFileSync(paths.operatorToken, 'utf8').trim()
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        authorization: `Bearer ${token}`,
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      }
      const sent = request({ socketPath: paths.socket, method, path: `/api${path}`, headers, agent }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('error', reject)
        answer.on('end', () => {
          if (!answer.complete) return reject(new Error('the answer was cut off'))
          const text = Buffer.concat(parts).toString('utf8')
          const status = answer.statusCode ?? 0
          if (status === 200) return resolve(JSON.parse(text) as never)
          // A daemon that is stopping answers 503; the next daemon will accept the request.
          reject(status === 503 ? new Error(text) : new Answered(`${method} ${path}: ${status} ${text}`))
        })
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  return {
    send,
    async insist(method, path, options) {
      for (let waited = 0; ; waited += 20) {
        try {
          return await send(method, path, options)
        } catch (error) {
          if (error instanceof Answered || waited > patienceMs) throw error
          await pause(20)
        }
      }
    },
  }
}
