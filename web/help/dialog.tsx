import { useEffect } from 'react'

import { Dialog } from '../parts/dialog.tsx'
import { addresses, Link } from '../router.tsx'
import { Glossary } from '../words/glossary.tsx'
import { Keys } from './keys.tsx'

/** Shows the keys and the words of the product over any page: `?` outside of a field. */
export function Help({ open, onOpen, onClose }: { open: boolean; onOpen: () => void; onClose: () => void }) {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return
      event.preventDefault()
      onOpen()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [onOpen])
  return (
    <Dialog open={open} onClose={onClose} label="Help" className="help">
      <header className="head">
        <h2>Keys</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      <Keys />
      <h2>Words</h2>
      <Glossary />
      <p>
        <Link to={addresses.help} onClick={onClose}>
          Open as a page, with the command line and the demonstrations
        </Link>
      </p>
    </Dialog>
  )
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable)
