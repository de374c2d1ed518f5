import { useSyncExternalStore } from 'react'

/** The browser's clock, in one place. */
export const nowMs = (): number => Date.now()

export const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

/**
 * Returns the current second and re-renders every second. All components that show an age share one timer; without any,
 * none runs.
 */
export const useSecond = (): number => useSyncExternalStore(onSecond, second)

let current = Math.floor(nowMs() / 1_000) * 1_000
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

const second = (): number => current

function onSecond(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, 1_000)
  tick()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  const next = Math.floor(nowMs() / 1_000) * 1_000
  if (next === current) return
  current = next
  for (const listener of listeners) listener()
}
