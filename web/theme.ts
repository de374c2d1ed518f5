import { useSyncExternalStore } from 'react'

/** `system` follows the machine; the other two are stored in this browser and read by theme.js before the first paint. */
export const themes = ['system', 'dark', 'light'] as const
export type Theme = (typeof themes)[number]

const storageKey = 'agency.theme'
const listeners = new Set<() => void>()

export const useTheme = (): Theme => useSyncExternalStore(onTheme, currentTheme)

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    if (theme === 'system') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, theme)
  } catch {
    // Storage can be forbidden; the choice then lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

export const currentTheme = (): Theme => {
  const theme = document.documentElement.dataset['theme']
  return theme === 'dark' || theme === 'light' ? theme : 'system'
}

function onTheme(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
