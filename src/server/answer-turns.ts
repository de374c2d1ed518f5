import type { IncomingMessage, ServerResponse } from 'node:http'

import { type AgencyError, refusal } from '../kernel/errors.ts'
import { createQueue, type Queue } from '../kernel/queue.ts'

/** An agent needs few answers at once; further requests wait for their turn. */
const answersAtOnce = 4
/** As many as one box may have without an answer. */
const maxWaiting = 64

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

export interface AnswerTurns {
  /** Resolves when an answer may be made; the turn ends when the sender has read it, or its connection is closed. */
  take(key: string, exchange: Exchange): Promise<void>
}

/**
 * Creates turns for the answers of each sender. A large answer takes the memory of the daemon until it is read, and a
 * sender can ask for many and read none.
 */
export function createAnswerTurns(): AnswerTurns {
  const senders = new Map<string, { readonly queue: Queue; open: number }>()
  return {
    async take(key, exchange) {
      const sender = senders.get(key) ?? { queue: createQueue({ atOnce: answersAtOnce, maxWaiting }), open: 0 }
      const turn = sender.queue.take()
      if (turn === null) throw tooMany()
      senders.set(key, sender)
      sender.open += 1
      const end = await turn
      whenAnswered(exchange, () => {
        end()
        sender.open -= 1
        if (sender.open === 0) senders.delete(key)
      })
    },
  }
}

/** Calls back once. An answer that waits behind another does not notice that its connection was closed. */
function whenAnswered({ incoming: { socket }, outgoing }: Exchange, over: () => void): void {
  const done = (): void => {
    outgoing.off('close', done)
    socket.off('close', done)
    over()
  }
  if (socket.destroyed || outgoing.closed) return over()
  outgoing.once('close', done)
  socket.once('close', done)
}

const tooMany = (): AgencyError =>
  refusal('rate_limited', 'too many requests of this attempt wait for an answer', {
    hint: 'Read the answers of the earlier requests first.',
  })
