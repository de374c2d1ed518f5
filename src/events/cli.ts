import type { eventsCommand } from '../cli/commands/events.ts'
import type { Handler } from '../cli/declare.ts'
import { faint, paint, plain, type Terminal, timeOfDay } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import { lineTone } from '../kernel/event-tone.ts'
import type { Event } from './contract.ts'
import { eventEndpoints } from './endpoints.ts'

export type EventLine = Wire<Event>

/**
 * Formats `[7k2m4p] 12:34:01 RUN   DONE          message`: run, time, tier, code, in columns that only a longer code
 * shifts. The code has the colour that the page gives the line.
 */
export function formatEvent(context: Terminal, event: EventLine): string {
  const run = event.run_id === null ? '------' : shortRun(event.run_id)
  const prefix = faint(context, `[${run}] ${timeOfDay(event.at)}`)
  const code = plain(event.code ?? event.kind.toUpperCase())
  // Only a change outside of runs has an author that the message does not name.
  const [source, by] = event.run_id === null ? ['', ` (${plain(event.by)})`] : ['RUN', '']
  const tone = lineTone(event)
  const state = tone === 'off' ? 'idle' : tone
  const painted = state === 'idle' ? code : paint(context, state, code)
  return `${prefix} ${plain(event.tier ?? source).padEnd(5)} ${painted}${' '.repeat(Math.max(0, 13 - code.length))} ${plain(event.message)}${by}`
}

export const shortRun = (id: string): string => id.slice(id.indexOf('_') + 1).slice(0, 6)

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
