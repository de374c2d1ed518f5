export interface Slots {
  /** Takes one of the key's slots and returns the function that gives it back; null if all of them are taken. */
  take(key: string): (() => void) | null
}

/** Creates a fixed number of slots per key, for work that must not happen too often at the same time. */
export function createSlots(perKey: number): Slots {
  const taken = new Map<string, number>()
  return {
    take(key) {
      const count = taken.get(key) ?? 0
      if (count >= perKey) return null
      taken.set(key, count + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const left = (taken.get(key) ?? 1) - 1
        if (left === 0) taken.delete(key)
        else taken.set(key, left)
      }
    },
  }
}
