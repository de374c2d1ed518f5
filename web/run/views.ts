import type { Tab } from '../parts/tabs.tsx'
import type { Inspection } from '../queries.ts'
import { type RunView, runViews } from '../router.tsx'

/** Returns the view in the address; the log if the address names none or an unknown one. */
export const viewOf = (query: URLSearchParams): RunView => runViews.find((view) => view === query.get('view')) ?? 'log'

const tierTabs: readonly Tab<RunView>[] = [
  { name: 'plan', label: 'Plan' },
  { name: 'architecture', label: 'Architecture' },
  { name: 'tasks', label: 'Tasks' },
  { name: 'verdicts', label: 'Verdicts' },
]

export const tabsOf = ({ run, gates, questions }: Inspection): Tab<RunView>[] => [
  { name: 'log', label: 'Log' },
  ...(run.playbook === 'tiered' ? tierTabs : []),
  { name: 'output', label: 'Output' },
  ...(run.repository === null ? [] : [{ name: 'changes' as const, label: 'Changes' }]),
  { name: 'graph', label: 'Graph' },
  { name: 'time', label: 'Time' },
  { name: 'cost', label: 'Cost' },
  { name: 'evidence', label: 'Evidence' },
  { name: 'notes', label: 'Notes', count: run.notesTotal },
  { name: 'decisions', label: 'Decisions', count: gates.length + questions.length },
]
