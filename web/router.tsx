import { type ComponentProps, type MouseEvent, useMemo, useSyncExternalStore } from 'react'

export type Route =
  | { page: 'inbox' }
  | { page: 'new' }
  | { page: 'runs' }
  | { page: 'run'; runId: string; briefId: string | null }
  | { page: 'proof'; runId: string }
  | { page: 'pull-requests' }
  | { page: 'artifact'; artifactId: string }
  | { page: 'prompt'; runId: string; attemptId: string }
  | { page: 'workspaces' }
  | { page: 'workspace'; missionId: string }
  | { page: 'events' }
  | { page: 'settings' }
  | { page: 'help' }
  | { page: 'organisations' }
  | { page: 'org'; org: string; section: OrgSection }
  | { page: 'seat'; org: string; positionId: number }
  | { page: 'personas' }
  | { page: 'persona'; persona: string }
  | { page: 'missing'; path: string }

/** The sections that every organisation has, besides the pages of its seats. */
export const orgSections = ['chart', 'vacancies', 'proposals', 'history', 'settings'] as const
export type OrgSection = (typeof orgSections)[number]

/** The views of a run. The tabs of its page group them (`run/views.ts`). */
export const runViews = [
  'overview',
  'tree',
  'log',
  'plan',
  'architecture',
  'tasks',
  'verdicts',
  'output',
  'changes',
  'graph',
  'time',
  'cost',
  'evidence',
  'notes',
  'decisions',
] as const
export type RunView = (typeof runViews)[number]

/** Returns the page of a path. The address of an object stays the same for the life of the object. */
export function routeOf(path: string): Route {
  const parts = path.split('/').filter((part) => part !== '')
  const [section, id, inner, briefId] = parts.map((part) => decode(part))
  if (parts.length === 0) return { page: 'inbox' }
  const page = singlePages.find((each) => each === section)
  if (parts.length === 1 && page !== undefined) return { page }
  if (section === 'runs' && id && parts.length === 2) return { page: 'run', runId: id, briefId: null }
  if (section === 'runs' && id && inner === 'proof' && parts.length === 3) return { page: 'proof', runId: id }
  if (section === 'runs' && id && inner === 'briefs' && briefId && parts.length === 4)
    return { page: 'run', runId: id, briefId }
  if (section === 'runs' && id && inner === 'prompts' && briefId && parts.length === 4)
    return { page: 'prompt', runId: id, attemptId: briefId }
  if (section === 'artifacts' && id && parts.length === 2) return { page: 'artifact', artifactId: id }
  if (section === 'workspaces' && id && parts.length === 2) return { page: 'workspace', missionId: id }
  return organisationRoute(parts.map(decode)) ?? { page: 'missing', path }
}

const singlePages = ['new', 'runs', 'pull-requests', 'workspaces', 'events', 'settings', 'help'] as const

function organisationRoute([first, name, section, id, ...more]: string[]): Route | null {
  if (more.length > 0) return null
  if (first === 'personas' && section === undefined)
    return name === undefined ? { page: 'personas' } : { page: 'persona', persona: name }
  if (first !== 'org') return null
  if (name === undefined) return { page: 'organisations' }
  if (section === undefined) return { page: 'org', org: name, section: 'chart' }
  if (section === 'positions' && id !== undefined && /^[1-9]\d{0,14}$/.test(id))
    return { page: 'seat', org: name, positionId: Number(id) }
  const found = orgSections.find((each) => each === section && each !== 'chart')
  return found === undefined || id !== undefined ? null : { page: 'org', org: name, section: found }
}

export const addresses = {
  inbox: '/',
  /** The form of a new run; its query prefills it. */
  newRun: '/new',
  /** With the settings of an earlier run. */
  newRunFrom: (runId: string) => `/new?from=${encodeURIComponent(runId)}`,
  /** With the settings of an earlier run, from its newest commit or from the result of a brief. */
  fork: (runId: string, brief = '') => `${addresses.newRunFrom(runId)}&fork=${encodeURIComponent(brief)}`,
  runs: '/runs',
  events: '/events',
  settings: '/settings',
  help: '/help',
  run: (runId: string) => `/runs/${encodeURIComponent(runId)}`,
  brief: (runId: string, briefId: string) => `/runs/${encodeURIComponent(runId)}/briefs/${encodeURIComponent(briefId)}`,
  proof: (runId: string) => `${addresses.run(runId)}/proof`,
  attempt: (runId: string, briefId: string, attemptId: string) =>
    `${addresses.brief(runId, briefId)}#${encodeURIComponent(attemptId)}`,
  runView: (runId: string, view: RunView) => `${addresses.run(runId)}?view=${view}`,
  /** The changes of the run, and its pull request. */
  changes: (runId: string) => addresses.runView(runId, 'changes'),
  output: (runId: string, briefId: string, attemptId: string) =>
    `${addresses.brief(runId, briefId)}?view=output&attempt=${encodeURIComponent(attemptId)}`,
  prompt: (runId: string, attemptId: string) =>
    `/runs/${encodeURIComponent(runId)}/prompts/${encodeURIComponent(attemptId)}`,
  artifact: (artifactId: string) => `/artifacts/${encodeURIComponent(artifactId)}`,
  pullRequests: '/pull-requests',
  workspaces: '/workspaces',
  workspace: (missionId: string) => `/workspaces/${encodeURIComponent(missionId)}`,
  file: (missionId: string, path: string) => `${addresses.workspace(missionId)}?path=${encodeURIComponent(path)}`,
  line: (runId: string, seq: number) => `${addresses.run(runId)}#${seq}`,
  /** The selected organisation, or all of them. */
  organisations: '/org',
  org: (slug: string, section: OrgSection = 'chart') =>
    `/org/${encodeURIComponent(slug)}${section === 'chart' ? '' : `/${section}`}`,
  seat: (slug: string, positionId: number) => `/org/${encodeURIComponent(slug)}/positions/${positionId}`,
  personas: '/personas',
  persona: (slug: string) => `/personas/${encodeURIComponent(slug)}`,
}

export interface Address {
  path: string
  query: URLSearchParams
  /** Without the `#`. */
  hash: string
}

export function useAddress(): Address {
  const href = useSyncExternalStore(onNavigation, currentHref)
  return useMemo(() => {
    const url = new URL(href, location.origin)
    return { path: url.pathname, query: url.searchParams, hash: decode(url.hash.slice(1)) }
  }, [href])
}

export function navigate(to: string, { replace = false } = {}): void {
  if (to === currentHref()) return
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  for (const listener of listeners) listener()
}

/** Changes one parameter of the current address's query; an empty value removes it. */
export function setQuery(name: string, value: string): void {
  const url = new URL(location.href)
  if (value === '') url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  navigate(url.pathname + url.search + url.hash, { replace: true })
}

/** A real link, so that the middle button, the context menu and copying work as everywhere. */
export function Link({ to, onClick, ...rest }: { to: string } & ComponentProps<'a'>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    navigate(to)
  }
  return <a href={to} onClick={follow} {...rest} />
}

const listeners = new Set<() => void>()

const currentHref = (): string => location.pathname + location.search + location.hash

function onNavigation(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  window.addEventListener('hashchange', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
    window.removeEventListener('hashchange', listener)
  }
}

/** Decodes a part of an address. A stray `%` is part of a wrong address, not a crash. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
