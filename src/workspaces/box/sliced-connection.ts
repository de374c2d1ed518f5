import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** A few dozen requests without a body; a body of the largest size arrives in 64 turns. */
const sliceBytes = 4_096

/** Runs one of the given steps in each turn of the event loop. */
export type TakeTurn = (step: () => void) => void

export function createTurns(): TakeTurn {
  const steps: (() => void)[] = []
  let isPlanned = false
  const plan = (): void => {
    if (isPlanned || steps.length === 0) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      steps.shift()?.()
      plan()
    })
  }
  return (step) => {
    steps.push(step)
    plan()
  }
}

/**
 * Returns a connection whose bytes are read in slices, and all connections of one box take turns. The parser of HTTP hands over
 * all requests of a chunk at once, and a box can send hundreds of them in each of many chunks: others would wait.
 */
export function slicedConnection(connection: Socket, takeTurn: TakeTurn): Duplex {
  let rest: Buffer = Buffer.alloc(0)
  let isPlanned = false
  const next = (): void => {
    if (isPlanned || duplex.destroyed) return
    if (rest.length === 0) return void connection.resume()
    isPlanned = true
    takeTurn(() => {
      isPlanned = false
      const slice = rest.subarray(0, sliceBytes)
      rest = rest.subarray(sliceBytes)
      duplex.push(slice)
    })
  }
  const duplex = new Duplex({
    readableHighWaterMark: sliceBytes,
    read: next,
    write: (chunk: Buffer, _encoding, done) => void connection.write(chunk, done),
    final: (done) => void connection.end(done),
    destroy: (error, done) => {
      connection.destroy()
      done(error)
    },
  })
  connection.pause()
  connection.on('data', (chunk: Buffer) => {
    connection.pause()
    rest = chunk
    next()
  })
  // It is read only when all slices are taken, so its end comes after them.
  connection.once('end', () => duplex.push(null))
  connection.once('close', () => duplex.destroy())
  return duplex
}
