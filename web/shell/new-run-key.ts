import { useEffect } from 'react'

import { addresses, navigate } from '../router.tsx'

/** Opens the form of a new run on `n`, wherever the key has no other meaning. */
export function useNewRunKey(): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (!isForNewRun(event)) return
      event.preventDefault()
      navigate(addresses.newRun)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** A diff moves to its next file on the same key, a field takes it as text, and a dialog keeps the page behind it. */
function isForNewRun(event: KeyboardEvent): boolean {
  if (event.key !== 'n' || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  const { target } = event
  if (target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable))
    return false
  return document.querySelector('dialog[open]') === null
}
