import { pause } from '../../kernel/clock.ts'
import { isListening, requestUrl, findFreePort } from './http.ts'
import { isOwnListener } from './listeners.ts'
import type { ProbeResult, ProbeRequest } from './request.ts'
import { type Server, startServer } from './server.ts'

/** Starts a server, asks it once it listens, and leaves nothing of it behind. */
export async function probe(question: ProbeRequest, aborted: AbortSignal): Promise<ProbeResult> {
  const deadline = AbortSignal.any([aborted, AbortSignal.timeout(question.timeoutMs)])
  const port = portOf(question.url) ?? (await findFreePort(question.refusedPorts))
  const refused = await whyNot(port, question.refusedPorts)
  if (refused !== null) return { outcome: 'failed', why: refused, log: '' }
  const server = startServer(question.start.replaceAll('{port}', String(port)), port)
  try {
    const url = question.url.replace('{port}', String(port))
    return { ...(await askUntil(url, port, server, question, deadline)), log: server.log() }
  } finally {
    await server.stop()
  }
}

/** What answers before the server was started cannot be the server. */
async function whyNot(port: number, refused: readonly number[]): Promise<string | null> {
  if (refused.includes(port)) return `port ${port} is Agency’s own`
  return (await isListening(port)) ? `something else answers on port ${port} already` : null
}

type Asked = { outcome: 'answered'; status: number; bytes: number; sha256: string; body: string }
type Failed = { outcome: 'failed'; why: string }

/** A server that listens may still be warming up: these answers are asked for again while there is time. */
const notYet = new Set([502, 503, 504])

async function askUntil(
  url: string,
  port: number,
  server: Server,
  { timeoutMs, maxBodyBytes }: ProbeRequest,
  deadline: AbortSignal,
): Promise<Asked | Failed> {
  let last: Asked | null = null
  while (!deadline.aborted) {
    const answer = await requestUrl(url, maxBodyBytes, deadline)
    if (answer.outcome === 'failed') return answer
    if (answer.outcome === 'answered') {
      // Looked at while it still runs: a stranger who took the port first would speak for it.
      if (!(await isOwnListener(port, server.launchId)))
        return { outcome: 'failed', why: `what answers on port ${port} is not the server that was started` }
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
