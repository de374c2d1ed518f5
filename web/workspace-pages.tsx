import type { Route } from './router.tsx'
import { WorkspacePage } from './workspace/page.tsx'
import { WorkspacesPage } from './workspaces/page.tsx'

export function WorkspacePages({ route }: { route: Extract<Route, { page: 'workspaces' | 'workspace' }> }) {
  if (route.page === 'workspaces') return <WorkspacesPage />
  return <WorkspacePage key={route.missionId} missionId={route.missionId} />
}
