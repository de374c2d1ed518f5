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
  let isReleased = false
  let isEnded = false
  const next = (): void => {
    if (isPlanned || isReleased || duplex.destroyed) return
    if (rest.length === 0) return void (isEnded ? duplex.push(null) : connection.resume())
    isPlanned = true
    takeTurn(() => {
      isPlanned = false
      if (isReleased) return
      const slice = rest.subarray(0, sliceBytes)
      rest = rest.subarray(sliceBytes)
      duplex.push(slice)
    })
  }
  const duplex = new Duplex({
    readableHighWaterMark: sliceBytes,
    read: next,
    write: (chunk: Buffer, _encoding, done) => void connection.write(chunk, done),
    writev: (parts, done) => {
      connection.cork()
      parts.forEach(({ chunk }, at) => connection.write(chunk as Buffer, at === parts.length - 1 ? done : undefined))
      connection.uncork()
    },
    final: (done) => void connection.end(done),
    destroy: (error, done) => {
      connection.destroy()
      done(error)
    },
  })
  const onData = (chunk: Buffer): void => {
    connection.pause()
    rest = chunk
    next()
  }
  // Node announces the end of a connection even while it is paused: slices may still wait for their turn.
  const onEnd = (): void => {
    isEnded = true
    next()
  }
  const onClose = (): void => {
    if (!isEnded || duplex.readableEnded) duplex.destroy()
    else duplex.once('end', () => duplex.destroy())
  }
  connection.pause()
  connection.on('data', onData).once('end', onEnd).once('close', onClose)
  releases.set(duplex, () => {
    isReleased = true
    connection.off('data', onData).off('end', onEnd).off('close', onClose)
    const unread = (duplex.read() as Buffer | null) ?? Buffer.alloc(0)
    return { connection, unread: Buffer.concat([unread, rest]) }
  })
  return duplex
}

interface Released {
  readonly connection: Socket
  /** Bytes that were received and not read yet. */
  readonly unread: Buffer
}

const releases = new WeakMap<Duplex, () => Released>()

/**
 * Returns the connection itself, once it is not used for requests any more: bytes pass through it faster without slices.
 * The sliced one must not be used afterwards.
 */
export function releaseConnection(sliced: Duplex): Released {
  const release = releases.get(sliced)
  if (release === undefined) throw new Error('this connection is not sliced')
  releases.delete(sliced)
  return release()
}
