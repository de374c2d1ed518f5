import { pause } from '../../kernel/clock.ts'
import { isListening, requestUrl, findFreePort } from './http.ts'
import { isOwnListener } from './listeners.ts'
import type { ProbeResult, ProbeRequest } from './request.ts'
import { type Server, startServer } from './server.ts'

/** Starts a server, sends a request once it listens, and leaves none of its processes behind. */
export async function probe(request: ProbeRequest, aborted: AbortSignal): Promise<ProbeResult> {
  const deadline = AbortSignal.any([aborted, AbortSignal.timeout(request.timeoutMs)])
  const port = portOf(request.url) ?? (await findFreePort(request.refusedPorts))
  const unusable = await whyUnusable(port, request.refusedPorts)
  if (unusable !== null) return { outcome: 'failed', why: unusable, log: '' }
  const server = startServer(request.start.replaceAll('{port}', String(port)), port)
  try {
    const url = request.url.replace('{port}', String(port))
    return { ...(await requestUntil(url, port, server, request, deadline)), log: server.log() }
  } finally {
    await server.stop()
  }
}

/** Returns why a port cannot be used: a process that listens before the server was started cannot be the server. */
async function whyUnusable(port: number, refused: readonly number[]): Promise<string | null> {
  if (refused.includes(port)) return `port ${port} belongs to Agency`
  return (await isListening(port)) ? `port ${port} is already in use by another process` : null
}

type Answered = { outcome: 'answered'; status: number; bytes: number; sha256: string; body: string }
type Failed = { outcome: 'failed'; why: string }

/** Statuses of a server that is still starting up: the request is repeated until the deadline. */
const notYet = new Set([502, 503, 504])

async function requestUntil(
  url: string,
  port: number,
  server: Server,
  { timeoutMs, maxBodyBytes }: ProbeRequest,
  deadline: AbortSignal,
): Promise<Answered | Failed> {
  let last: Answered | null = null
  while (!deadline.aborted) {
    const answer = await requestUrl(url, maxBodyBytes, deadline)
    if (answer.outcome === 'failed') return answer
    if (answer.outcome === 'answered') {
      // Checked while it still runs: another process that took the port first would answer in its place.
      if (!(await isOwnListener(port, server.launchId)))
        return { outcome: 'failed', why: `the process that answers on port ${port} is not the server that was started` }
      if (!notYet.has(answer.status)) return answer
      last = answer
    }
    const ended = await server.ended()
    if (ended !== null) return last ?? { outcome: 'failed', why: ended }
    await pause(50)
  }
  return last ?? { outcome: 'failed', why: `no answer within ${timeoutMs / 1_000} s` }
}

function portOf(url: string): number | null {
  const { port } = new URL(url.replace('{port}', '0'))
  return port === '0' ? null : port === '' ? 80 : Number(port)
}
