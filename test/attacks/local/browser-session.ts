import { request as httpRequest } from 'node:http'

import type { DaemonStage } from '../daemon-stage.ts'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

export interface HttpOptions {
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly socketPath?: string
}

/** Sends a request with exactly these headers, also a Host of another name. */
export function http(
  address: string,
  method: string,
  path: string,
  { headers = {}, body, socketPath }: HttpOptions = {},
): Promise<HttpAnswer> {
  const { port } = new URL(address)
  const place = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath }
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const type = payload === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { ...place, agent: false, method, path, headers: { ...type, ...headers } },
      (answer) => {
        let text = ''
        answer.on('data', (part: Buffer) => (text += String(part)))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        answer.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(payload)
  })
}

/** The secrets of a browser that has signed in. */
export interface Browser {
  readonly cookie: string
  readonly page: string
}

export async function createLink(
  stage: DaemonStage,
  file = false,
): Promise<{ code: string; url: string; file: string }> {
  const { body } = await stage.ask('POST', '/links', { file })
  const { url, file: path } = body as { url: string; file: string }
  return { code: new URL(url).searchParams.get('code') ?? '', url, file: path }
}

export const redeem = (stage: DaemonStage, code: string, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
  http(stage.address, 'POST', '/enter', { headers, body: { code } })

export async function signIn(stage: DaemonStage): Promise<Browser> {
  const answer = await redeem(stage, (await createLink(stage)).code)
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
  return { cookie, page: (JSON.parse(answer.text) as { page: string }).page }
}

/** Reports whether these headers make their sender the operator. */
export const isOperator = async (
  stage: DaemonStage,
  headers: Record<string, string>,
  socketPath?: string,
): Promise<boolean> => {
  const to = socketPath === undefined ? {} : { socketPath }
  return (await http(stage.address, 'GET', '/api/status', { headers, ...to })).status === 200
}

export const headersOf = ({ cookie, page }: Browser): Record<string, string> => ({ cookie, 'agency-page': page })
