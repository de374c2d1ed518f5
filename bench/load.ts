import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

export interface Load {
  readonly address: string
  readonly token: string
  readonly clients: number
  readonly requests: number
}

/**
 * Sends requests over keep-alive connections, each one after the answer to the last; returns requests per second.
 * Uses bare sockets: Node's own client costs as much as the server, and only the server is to be measured.
 */
export async function postMissions({ address, token, clients, requests }: Load): Promise<number> {
  const { hostname, port } = new URL(address)
  const sockets = await Promise.all(Array.from({ length: clients }, () => connected(hostname, Number(port))))
  const body = JSON.stringify({ title: 'A mission that waits in the backlog', description: 'For a benchmark.' })
  const request = Buffer.from(
    `POST /api/missions HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  let left = requests
  const began = performance.now()
  await Promise.all(sockets.map((socket) => keepAsking(socket, request, () => left-- > 0)))
  const seconds = (performance.now() - began) / 1_000
  for (const socket of sockets) socket.destroy()
  return requests / seconds
}

function keepAsking(socket: Socket, request: Buffer, mayAsk: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const ask = (): void => {
      answer = ''
      if (mayAsk()) socket.write(request)
      else resolve()
    }
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a keep-alive connection')))
    socket.on('data', (part: string) => {
      answer += part
      const end = answer.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!answer.startsWith('HTTP/1.1 200')) return reject(new Error(answer))
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? Number.NaN)
      if (Number.isNaN(length)) return reject(new Error(`the answer has no length: ${answer.slice(0, end)}`))
      if (answer.length >= end + 4 + length) ask()
    })
    ask()
  })
}

const connected = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host)
    socket.setNoDelay(true)
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
