import { useSyncExternalStore } from 'react'

import type { OrganisationView } from '../../src/org/organisations/contract.ts'
import { addresses, navigate, type Route, routeOf } from '../router.tsx'

/** Kept in this browser: the slug of the organisation last chosen; null: all of them. */
const storageKey = 'agency.organisation'
const listeners = new Set<() => void>()
/** What storage would say, where storage is forbidden. */
let remembered: string | null = null

/** The address decides where it names one; otherwise what was chosen last, if it is still there. */
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

/** The same page of another organisation, where it has one. */
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
    // Storage can be forbidden; the choice then lasts as long as the page.
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
