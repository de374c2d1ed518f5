import { pause } from '../../kernel/clock.ts'
import { probe } from './probe.ts'
import type { ProbeRequest } from './request.ts'

// Processes that the server can see must not tell it who starts it.
process.title = 'sh'

/** Runs beside the server, so that the request comes from inside the same sandbox. */
const aborted = new AbortController()
process.once('SIGTERM', () => aborted.abort())

const request = JSON.parse(process.argv[2] as string) as ProbeRequest
let done = false
const probing = probe(request, aborted.signal).finally(() => (done = true))
// After the server's exit, nothing else keeps this process alive while it searches for surviving processes.
while (!done) await pause(10)
process.stdout.write(JSON.stringify(await probing))
