import type { ReactNode } from 'react'

import { ApiError } from '../../src/operations/problem.ts'
import { Unreachable } from '../client.ts'
import { useLive } from '../live/use-live.ts'

/** An empty state: explains the page, and shows the command that fills it. */
export function Empty({
  title,
  children,
  command,
  action,
}: {
  title: string
  children: ReactNode
  command?: string
  /** A link or a button that does the first step. */
  action?: ReactNode
}) {
  return (
    <div className="notice" data-state="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action !== undefined && <p>{action}</p>}
      {command !== undefined && <Command text={command} />}
    </div>
  )
}

/** An error state: cause, next step and a retry button. */
export function Failure({ error, retry, name }: { error: unknown; retry: () => void; name: string }) {
  const live = useLive()
  const { cause, step } = explain(error)
  const again = (): void => {
    live.retry()
    retry()
  }
  return (
    <div className="notice" data-state="error" role="alert">
      <h2>{name} could not be loaded</h2>
      <p>{cause}</p>
      {step !== null && <p className="muted">{step}</p>}
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  )
}

/** A loading state: the outline of the coming content, without motion. */
export function Skeleton({ lines, label }: { lines: number; label: string }) {
  return (
    <div className="skeleton" data-state="loading" role="status" aria-label={`Loading ${label}`}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className={`bone bone-${index % 4}`} />
      ))}
    </div>
  )
}

/** A command to type in a terminal. */
export function Command({ text }: { text: string }) {
  return (
    <p className="command">
      <code>{text}</code>
    </p>
  )
}

export function explain(error: unknown): { cause: string; step: string | null } {
  if (error instanceof Unreachable)
    return { cause: 'The daemon does not answer.', step: 'Start it with “agency up”; this page reconnects by itself.' }
  if (error instanceof ApiError) return { cause: sentence(error.message), step: error.problem.hint ?? null }
  return { cause: `The page failed: ${String(error)}`, step: 'Reload the page; if it fails again, report the error.' }
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
