import type { eventsCommand } from '../cli/commands/events.ts'
import type { Handler } from '../cli/declare.ts'
import { faint, paint, plain, type Terminal } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import { lineTone } from '../kernel/event-tone.ts'
import { logLine } from '../kernel/log-line.ts'
import type { Event } from './contract.ts'
import { eventEndpoints } from './endpoints.ts'

export type EventLine = Wire<Event>

/** Formats an event as a line of the log; the code has the colour that the page gives the line. */
export function formatEvent(context: Terminal, event: EventLine): string {
  const code = plain(event.code ?? event.kind.toUpperCase())
  // Only a change outside of runs has an author that the message does not name.
  const [source, by] = event.run_id === null ? ['', ` (${plain(event.by)})`] : ['RUN', '']
  const tone = lineTone(event)
  return logLine(
    {
      runId: event.run_id,
      at: event.at,
      source: plain(event.tier ?? source),
      code,
      text: `${plain(event.message)}${by}`,
    },
    {
      faint: (text) => faint(context, text),
      tone: (text) => (tone === 'off' || tone === 'idle' ? text : paint(context, tone, text)),
    },
  )
}

export const listEvents: Handler<typeof eventsCommand> = async (context, options) => {
  const client = context.api()
  const filter = { kind: options.kind, level: options.level }
  const print = (event: EventLine): void =>
    options.json ? context.jsonLine(event) : context.out(formatEvent(context, event))
  const { events } = await client.call<{ events: EventLine[] }>(eventEndpoints.list, {
    ...filter,
    after: options.after,
    limit: options.limit,
    latest: options.after === undefined ? true : undefined,
  })
  for (const event of events) print(event)
  if (!options.follow) {
    if (events.length === 0 && context.isTty) context.out('there are no events yet')
    return 0
  }
  const lastId = String(events.at(-1)?.position ?? options.after ?? 0)
  for await (const message of client.follow(eventEndpoints.list, filter, { lastId })) {
    if (message !== 'open') print(JSON.parse(message.data) as EventLine)
  }
  return 0
}
