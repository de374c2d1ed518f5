import { pause } from '../../kernel/clock.ts'
import { probe } from './probe.ts'
import type { ProbeRequest } from './request.ts'

/** Runs where the server runs, so that it asks from the same side of a sandbox's walls. */
const asked = new AbortController()
process.once('SIGTERM', () => asked.abort())

const question = JSON.parse(process.argv[2] as string) as ProbeRequest
let done = false
const answering = probe(question, asked.signal).finally(() => (done = true))
// Once the server is gone, nothing else keeps us alive while we look for what it left behind.
while (!done) await pause(10)
process.stdout.write(JSON.stringify(await answering))
