import type { Endpoint } from '../operations/endpoint.ts'
import { apiErrorOf } from '../operations/problem.ts'
import { requestFor, type WireRequest } from '../operations/request.ts'
import { exchange, type HttpHead } from './http.ts'

export interface DaemonAddress {
  readonly socket: string
  readonly token: string
}

export interface SendOptions {
  accept?: string
  /** The daemon carries out all requests with the same key once. */
  idempotencyKey?: string
  /** Gives up after this long without a byte. */
  silenceMs?: number
  onHead?(head: HttpHead): void
}

const defaultSilenceMs = 60_000

/** Sends one request and returns the text of the answer; throws `ApiError` for anything but success. */
export async function send(
  { socket, token }: DaemonAddress,
  { method, path, body }: WireRequest,
  { accept = 'application/json', idempotencyKey, silenceMs = defaultSilenceMs, onHead }: SendOptions = {},
): Promise<string> {
  let status = 0
  const parts: Buffer[] = []
  const headers = {
    ...authorization(token),
    Accept: accept,
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  }
  await exchange(
    socket,
    { method, path, headers, ...(body === null ? {} : { body }) },
    {
      onHead: (head) => {
        status = head.status
        onHead?.(head)
      },
      onBody: (part) => void parts.push(part),
      silenceMs,
    },
  )
  const text = Buffer.concat(parts).toString('utf8')
  if (status >= 200 && status < 300) return text
  throw apiErrorOf(status, text)
}

/** Sends one request and hands over the bytes of the answer; throws `ApiError` for anything but success. */
export async function receive(
  { socket, token }: DaemonAddress,
  { method, path }: WireRequest,
  { onHead, write }: { onHead(head: HttpHead): void; write: (part: Buffer) => void | Promise<void> },
): Promise<void> {
  let status = 0
  const failure: Buffer[] = []
  await exchange(
    socket,
    { method, path, headers: authorization(token) },
    {
      onHead: (head) => {
        status = head.status
        onHead(head)
      },
      onBody: (part) => (status === 200 ? write(part) : void failure.push(part)),
      silenceMs: defaultSilenceMs,
    },
  )
  if (status !== 200) throw apiErrorOf(status, Buffer.concat(failure).toString('utf8'))
}

/** Calls one operation once, without retries, and returns its answer. */
export const callOnce = async <T>(
  address: DaemonAddress,
  endpoint: Endpoint,
  input: object = {},
  options: Pick<SendOptions, 'silenceMs' | 'onHead'> = {},
): Promise<T> => parseAnswer<T>(await send(address, requestFor(endpoint, input), options))

export const parseAnswer = <T>(text: string): T => (text === '' ? null : JSON.parse(text)) as T

export const authorization = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` })
