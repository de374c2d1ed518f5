import { useSyncExternalStore } from 'react'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import { addresses, navigate, type Route, routeOf } from '../router.tsx'

/** Stored in this browser: the slug of the organisation last selected; null: all of them. */
const storageKey = 'agency.organisation'
const listeners = new Set<() => void>()
/** The selection while storage is forbidden. */
let remembered: string | null = null

/** Returns the organisation that the address names; otherwise the one last selected, if it still exists. */
export function useSelectedOrganisation(
  route: Route,
  query: URLSearchParams,
  all: readonly OrganisationView[],
): string | null {
  const stored = useSyncExternalStore(onChoice, lastChosen)
  if ('org' in route) return all.find((each) => isCalled(each, route.org))?.slug ?? route.org
  const asked = query.get('org') ?? stored
  if (asked === 'all') return null
  return all.find((each) => each.slug === asked)?.slug ?? (all.length === 1 ? (all[0]?.slug ?? null) : null)
}

/** Selects an organisation and opens its version of the current page, if there is one. */
export function selectOrganisation(slug: string | null): void {
  saveSelection(slug)
  const route = routeOf(location.pathname)
  if (route.page === 'org')
    return navigate(slug === null ? addresses.organisations : addresses.org(slug, route.section))
  if (route.page === 'seat' || route.page === 'organisations')
    return navigate(slug === null ? `${addresses.organisations}?org=all` : addresses.org(slug))
  const url = new URL(location.href)
  url.searchParams.set('org', slug ?? 'all')
  navigate(url.pathname + url.search + url.hash)
}

export function saveSelection(slug: string | null): void {
  if (lastChosen() === slug) return
  remembered = slug
  try {
    if (slug === null) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, slug)
  } catch {
    // Storage can be forbidden; then the selection lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

function lastChosen(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return remembered
  }
}

const isCalled = (organisation: OrganisationView, name: string): boolean =>
  organisation.slug === name.toLowerCase() || organisation.name.toLowerCase() === name.toLowerCase()

function onChoice(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
