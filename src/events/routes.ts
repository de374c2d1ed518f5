import { bind, type Route, type StreamItem } from '../operations/bind.ts'
import { toWire } from '../operations/wire.ts'
import { Event, eventOperations } from './contract.ts'
import type { Events } from './service.ts'

export const eventRoutes = (events: Events): Route[] =>
  bind(
    eventOperations,
    {
      list: (by, filter) => events.list(by, filter),
      ofRun: (by, filter) => events.ofRun(by, filter),
      log: (by, line) => events.log(by, line),
    },
    {
      list: async (_, filter, signal) => sent(events.follow(filter, signal), (event) => event.position),
      ofRun: async (by, filter, signal) => sent(await events.followRun(by, filter, signal), (event) => event.seq),
    },
  )

async function* sent(
  pages: AsyncIterable<readonly Event[]>,
  idOf: (event: Event) => number,
): AsyncGenerator<readonly StreamItem[]> {
  for await (const page of pages)
    yield page.map((event) => ({ id: idOf(event), kind: event.kind, data: toWire(Event, event) }))
}
