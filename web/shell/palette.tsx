import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import { call } from '../client.ts'
import { chartQuery, organisationsQuery, personasQuery } from '../org/queries.ts'
import { useSelectedOrganisation } from '../org/selection.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Sign, type Tone } from '../parts/state.tsx'
import { keys } from '../queries.ts'
import { addresses, navigate, routeOf, useAddress } from '../router.tsx'
import { runState } from '../runs/state.ts'
import { chooseTheme, themes } from '../theme.ts'

interface Choice {
  key: string
  title: string
  about: string
  tone: Tone | null
  act: () => void
}

/** Opens every page and run from the keyboard: Ctrl-K, or `/` outside of a field. */
export function Palette({ open, onOpen, onClose }: { open: boolean; onOpen: () => void; onClose: () => void }) {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      if (!asksForPalette(event)) return
      event.preventDefault()
      onOpen()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [onOpen])
  return (
    <Dialog open={open} onClose={onClose} label="Go to" className="palette">
      <Search onClose={onClose} />
    </Dialog>
  )
}

function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const choices = useChoices()
    .filter((choice) => matches(choice, text))
    .slice(0, maxChoices)
  const current = Math.min(at, choices.length - 1)

  const take = (choice: Choice | undefined): void => {
    if (choice === undefined) return
    // The dialog closes first, so that it returns the focus before the new page takes it.
    onClose()
    choice.act()
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && choices.length > 0) setAt((current + step + choices.length) % choices.length)
    if (event.key === 'Enter') take(choices[current])
    if (step !== 0 || event.key === 'Enter') event.preventDefault()
  }
  const optionId = (index: number): string => `${list}-${index}`
  useEffect(() => {
    document.getElementById(optionId(current))?.scrollIntoView({ block: 'nearest' })
  })

  return (
    <>
      <input
        autoFocus
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={choices.length > 0 ? optionId(current) : undefined}
        aria-label="Page, run or action"
        placeholder="Page, run or action"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <ul id={list} role="listbox" aria-label="Results">
        {choices.map((choice, index) => (
          <li
            key={choice.key}
            id={optionId(index)}
            role="option"
            aria-selected={index === current}
            onPointerMove={() => setAt(index)}
            onClick={() => take(choice)}
          >
            {choice.tone === null ? <span className="sign" /> : <Sign tone={choice.tone} />}
            <span className="grow cut">{choice.title}</span>
            <span className="muted">{choice.about}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="none muted">No result for “{text}”.</p>}
      <p className="keys muted">
        <kbd>↑</kbd> <kbd>↓</kbd> select · <kbd>Enter</kbd> open · <kbd>Esc</kbd> close
      </p>
    </>
  )
}

/** Longer lists are not read; another word of the search finds the rest. */
const maxChoices = 200

function useChoices(): Choice[] {
  const runs = useQuery({
    queryKey: [...keys.runs, 'palette'],
    queryFn: ({ signal }) => call(operations.run.list, { limit: 500 }, signal),
  })
  return [
    ...pages,
    ...useOrganisationChoices(),
    ...(runs.data?.runs ?? []).map((run) => ({
      key: run.id,
      title: run.goalAnchor,
      about: run.simulated ? `${run.id} · simulated` : run.id,
      tone: runState(run.state).tone,
      act: () => navigate(addresses.run(run.id)),
    })),
    ...actions,
  ]
}

/** All organisations with their pages, the seats of the selected one, and all personas. */
function useOrganisationChoices(): Choice[] {
  const { path, query } = useAddress()
  const organisations = useQuery(organisationsQuery()).data ?? []
  const chosen = useSelectedOrganisation(routeOf(path), query, organisations)
  const personas = useQuery(personasQuery()).data ?? []
  const seats = useQuery({ ...chartQuery(chosen ?? ''), enabled: chosen !== null }).data?.seats ?? []
  return [
    ...organisations.flatMap(({ name, slug }) => [
      page(name, `organisation · ${slug}`, addresses.org(slug)),
      page(`${name}: vacancies`, 'empty seats', addresses.org(slug, 'vacancies')),
      page(`${name}: proposals`, 'changes to decide', addresses.org(slug, 'proposals')),
      page(`${name}: history`, 'assignments and changes', addresses.org(slug, 'history')),
      page(`${name}: intent and settings`, slug, addresses.org(slug, 'settings')),
    ]),
    ...seats.map((seat) =>
      page(seat.title, `seat · ${seat.holder?.name ?? 'vacant'}`, addresses.seat(chosen ?? '', seat.positionId)),
    ),
    ...personas.map(({ name, slug, role }) => page(name, `persona · ${role} · ${slug}`, addresses.persona(slug))),
  ]
}

const page = (title: string, about: string, to: string): Choice => ({
  key: to,
  title,
  about,
  tone: null,
  act: () => navigate(to),
})

const pages: readonly Choice[] = [
  page('New run', 'compose and start one', addresses.newRun),
  page('Inbox', 'pending decisions', addresses.inbox),
  page('Runs', 'all runs', addresses.runs),
  page('Pull requests', 'changes of runs to repositories', addresses.pullRequests),
  page('Organisation', 'charts, seats, holders', addresses.organisations),
  page('Personas', 'agents and people', addresses.personas),
  page('Workspaces', 'files of missions, disk use', addresses.workspaces),
  page('Events', 'all events', addresses.events),
  page('Settings', 'the daemon and this browser', addresses.settings),
  page('Help', 'keys, words, demonstrations, the command line', addresses.help),
]

const actions: readonly Choice[] = themes.map((theme) => ({
  key: `theme ${theme}`,
  title: `Use the ${theme} theme`,
  about: 'this browser',
  tone: null,
  act: () => chooseTheme(theme),
}))

/** Reports whether every word occurs, in any order. */
const matches = (choice: Choice, text: string): boolean => {
  const hay = `${choice.title} ${choice.about}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word))
}

function asksForPalette(event: globalThis.KeyboardEvent): boolean {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey)
    return true
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return false
  const target = event.target
  return !(target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable))
}
