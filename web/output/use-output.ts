import { useEffect, useRef, useState } from 'react'

import { attemptOperations } from '../../src/work/attempts/contract.ts'
import { call } from '../client.ts'
import { after } from '../clock.ts'
import { createScreen, type Screen } from './screen.ts'

export interface Output {
  readonly screen: Screen | null
  /** Rises with every chunk, so that the view is drawn again. */
  readonly version: number
  readonly ended: boolean
  /** Number of bytes before the beginning of the shown output. */
  readonly skipped: number
  readonly phase: 'loading' | 'ready'
  readonly error: unknown
}

const nothing: Output = { screen: null, version: 0, ended: false, skipped: 0, phase: 'loading', error: null }

const pollMs = 1_000

/**
 * Loads the output of an attempt and follows it until the attempt ends. `begin`: from the first byte instead of near
 * the end.
 */
export function useOutput(attemptId: string, begin: boolean, columns: number): Output {
  const [output, setOutput] = useState<Output>(nothing)
  const width = useRef(columns)
  useEffect(() => {
    width.current = columns
    setOutput((was) => {
      was.screen?.resize(columns)
      return { ...was, version: was.version + 1 }
    })
  }, [columns])

  useEffect(() => {
    const screen = createScreen(width.current)
    const stop = new AbortController()
    let cancel = (): void => {}
    setOutput({ ...nothing, screen })

    const read = async (at: number | undefined): Promise<void> => {
      try {
        const part = await call(attemptOperations.output, { attemptId, after: at }, stop.signal)
        await screen.write(part.text)
        if (stop.signal.aborted) return
        setOutput((was) => ({
          ...was,
          version: was.version + 1,
          ended: part.ended,
          skipped: at === undefined ? part.from : was.skipped,
          phase: 'ready',
          error: null,
        }))
        if (part.ended) return
        cancel = after(part.next === at ? pollMs : 0, () => void read(part.next))
      } catch (error) {
        if (stop.signal.aborted) return
        setOutput((was) => ({ ...was, error }))
        // The daemon may be restarting.
        cancel = after(2 * pollMs, () => void read(at))
      }
    }
    void read(begin ? 0 : undefined)
    return () => {
      stop.abort()
      cancel()
      screen.dispose()
    }
  }, [attemptId, begin])
  return output
}
