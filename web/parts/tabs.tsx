import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'

export interface Tab<Name extends string> {
  name: Name
  label: string
  /** Shown beside the label unless it is zero. */
  count?: number
}

/** Several views of the same object, one at a time. The list is one tab stop; the arrow keys change the view. */
export function Tabs<Name extends string>({
  tabs,
  current,
  onChange,
  label,
  kind = 'pane',
  children,
}: {
  tabs: readonly Tab<Name>[]
  current: Name
  onChange: (name: Name) => void
  label: string
  /** `page`: the tabs of a whole page; `pane`: the views of one pane, drawn smaller. */
  kind?: 'page' | 'pane'
  children: ReactNode
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.name === current),
  )
  const onKey = (event: KeyboardEvent): void => {
    const last = tabs.length - 1
    const next =
      event.key === 'ArrowRight'
        ? at + 1
        : event.key === 'ArrowLeft'
          ? at - 1
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? last
              : null
    if (next === null) return
    event.preventDefault()
    const index = (next + tabs.length) % tabs.length
    const tab = tabs[index]
    if (tab === undefined) return
    onChange(tab.name)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus()
  }
  return (
    <div className={kind === 'page' ? 'tabbed' : 'view-pane'}>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={onKey}>
        {tabs.map((tab, index) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => onChange(tab.name)}
          >
            {tab.label}
            {tab.count !== undefined && tab.count > 0 && <span className="muted figure"> {tab.count}</span>}
          </button>
        ))}
      </div>
      <div
        className={kind === 'page' ? 'tabbed-view' : 'view'}
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${tabs[at]?.name ?? ''}`}
      >
        {children}
      </div>
    </div>
  )
}
