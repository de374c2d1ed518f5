import { type KeyboardEvent, type MouseEvent, type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react'

interface DialogProps {
  open: boolean
  onClose: () => void
  label: string
  className?: string
  children: ReactNode
}

/**
 * The browser's own modal dialog: the page behind is inert, Escape closes it, and focus returns to its origin.
 * It stays mounted, because a dialog that is removed instead of closed does not return the focus.
 */
export function Dialog({ open, onClose, label, className, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element === null || element.open === open) return
    if (open) element.showModal()
    else element.close()
  }, [open])
  const closeOnBackdrop = (event: MouseEvent): void => {
    if (event.target === dialog.current) onClose()
  }
  // The browser queues `close`, and a key that opens the dialog again may come first: `open` follows Escape at once.
  const closeOnEscape = (event: SyntheticEvent): void => {
    if (event.target !== dialog.current) return
    event.preventDefault()
    onClose()
  }
  const followBrowser = (): void => {
    if (dialog.current?.open === false) onClose()
  }
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      onCancel={closeOnEscape}
      onClose={followBrowser}
      onClick={closeOnBackdrop}
      onKeyDown={(event) => keepInside(event, dialog.current)}
    >
      {open && <div className="dialog-body">{children}</div>}
    </dialog>
  )
}

/** Keeps the Tab key within the dialog; the browser alone would move focus into its own toolbars. */
function keepInside(event: KeyboardEvent, dialog: HTMLDialogElement | null): void {
  if (event.key !== 'Tab' || dialog === null) return
  const inside = [...dialog.querySelectorAll<HTMLElement>('a[href], button:not(:disabled), input, select, textarea')]
  const edge = event.shiftKey ? inside[0] : inside.at(-1)
  const other = event.shiftKey ? inside.at(-1) : inside[0]
  if (edge === undefined || document.activeElement !== edge) return
  event.preventDefault()
  other?.focus()
}
