import { createTerminal } from '../cli/terminal.ts'
import { formatEvent } from '../events/cli.ts'
import { Event } from '../events/contract.ts'
import { toWire } from '../operations/wire.ts'
import type { Run } from '../work/runs/contract.ts'
import type { Daemon } from './start.ts'

/** Prints the demonstration in the terminal: its log lines as they happen, then the command to inspect it. */
export async function followDemo(daemon: Daemon, run: Run): Promise<void> {
  const terminal = createTerminal(process.env)
  const { out } = terminal
  const { runs } = daemon.agency
  if ((await runs.show(run.id)).endedAt !== null) {
    out(`The demonstration has already ended. To see it, run: agency inspect ${run.id}`)
    return
  }
  out('This is a simulated mission: no model is called, and nothing leaves this machine.')
  out(
    'Its first gate waits 15 seconds for you; then it approves its gates itself. "agency demo tiered --manual" waits.',
  )
  const ended = new AbortController()
  void daemon.stopped.then(() => ended.abort())
  const follow = daemon.feed.follow({
    stream: `run:${run.id}`,
    after: 0,
    level: 'normal',
    signal: ended.signal,
    until: async () => (await runs.show(run.id)).endedAt !== null,
  })
  for await (const event of follow)
    out(formatEvent(terminal, toWire(Event, event) as Parameters<typeof formatEvent>[1]))
  if (!ended.signal.aborted) out(`The simulated mission has ended. To see it, run: agency inspect ${run.id}`)
}
