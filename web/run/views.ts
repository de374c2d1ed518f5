import type { Tab } from '../parts/tabs.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, type RunView, runViews } from '../router.tsx'

/** The tabs of a run. */
export type RunTab = 'overview' | 'work' | 'changes' | 'evidence' | 'log'

/** Returns the tabs of a run, each with its views; the first view of a tab is the one that it opens with. */
export function tabsOf({ run, gates, questions }: Inspection): (Tab<RunTab> & { views: Tab<RunView>[] })[] {
  const isTiered = run.playbook === 'tiered'
  return [
    { name: 'overview', label: 'Overview', views: [{ name: 'overview', label: 'Overview' }] },
    {
      name: 'work',
      label: 'Work',
      views: [
        { name: 'tree', label: 'Briefs' },
        ...(isTiered ? tierPlans : []),
        { name: 'graph', label: 'Graph' },
        { name: 'time', label: 'Time' },
        { name: 'cost', label: 'Cost' },
      ],
    },
    ...(run.repository === null
      ? []
      : [{ name: 'changes' as const, label: 'Changes', views: [{ name: 'changes' as const, label: 'Changes' }] }]),
    {
      name: 'evidence',
      label: 'Evidence',
      views: [
        { name: 'evidence', label: 'Proofs' },
        ...(isTiered ? [{ name: 'verdicts' as const, label: 'Verdicts' }] : []),
        { name: 'notes', label: 'Notes', count: run.notesTotal },
        { name: 'decisions', label: 'Decisions', count: gates.length + questions.length },
      ],
    },
    {
      name: 'log',
      label: 'Log',
      views: [
        { name: 'log', label: 'Events' },
        { name: 'output', label: 'Output' },
      ],
    },
  ]
}

const tierPlans: readonly Tab<RunView>[] = [
  { name: 'plan', label: 'Plan' },
  { name: 'architecture', label: 'Architecture' },
  { name: 'tasks', label: 'Tasks' },
]

/** Returns the view that an address asks for; null: it names none or an unknown one. */
export const askedView = (query: URLSearchParams): RunView | null =>
  runViews.find((view) => view === query.get('view')) ?? null

interface Place {
  readonly briefId: string | null
  readonly query: URLSearchParams
  /** A number is a line of the log. */
  readonly hash: string
}

/**
 * Returns the view of an address. A link to a brief that names no view keeps the open one, where a brief can be read
 * beside it.
 */
export function viewOf({ briefId, query, hash }: Place, open: RunView | null): RunView {
  if (/^\d+$/.test(hash)) return 'log'
  const asked = askedView(query)
  if (asked !== null) return asked
  if (briefId === null) return 'overview'
  return open === null || withoutBrief.includes(open) ? 'tree' : open
}

/** Views of the whole run, beside which no brief is shown. */
export const withoutBrief: readonly RunView[] = ['overview', 'changes']

/** Returns the address of a view. The plain address of a run shows its overview. */
export function placeOf(runId: string, briefId: string | null, view: RunView): string {
  if (view === 'overview') return addresses.run(runId)
  const path = briefId === null || withoutBrief.includes(view) ? addresses.run(runId) : addresses.brief(runId, briefId)
  return `${path}?view=${view}`
}
