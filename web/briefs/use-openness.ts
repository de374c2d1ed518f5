import { useCallback, useRef, useState } from 'react'

import type { Openness } from './branches.ts'

/**
 * Remembers the branches that the reader opened or closed. A branch that nobody touched stays as it was when it first
 * appeared, so that no row moves because a brief has ended.
 */
export function useOpenness() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const first = useRef(new Map<string, boolean>())
  const isOpen = useCallback<Openness>(
    (key, startsOpen) => {
      const known = chosen.get(key) ?? first.current.get(key)
      if (known !== undefined) return known
      first.current.set(key, startsOpen)
      return startsOpen
    },
    [chosen],
  )
  const set = useCallback(
    (keys: readonly string[], open: boolean): void =>
      setChosen((before) => new Map([...before, ...keys.map((key) => [key, open] as const)])),
    [],
  )
  return { isOpen, set }
}
