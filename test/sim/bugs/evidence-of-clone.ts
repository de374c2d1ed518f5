import { checkWork as checked } from '../../../src/engine/examination/check.ts'
import { workspaceRequest } from '../../../src/engine/attempt/workspace.ts'

/** Checks evidence where the agent worked, not on the collected commit: a file that git ignores proves something. */
export const checkWork: typeof checked = (deps, work) => {
  const { run, brief } = work.claimed
  const workspace = workspaceRequest(deps, run, brief)
  const checkout: typeof deps.workspaces.checkout = (request) =>
    deps.workspaces.checkout(
      request.source.kind === 'commit' && brief.kind === 'work'
        ? { ...request, source: { kind: 'workspace', workspace, commit: null } }
        : request,
    )
  return checked({ ...deps, workspaces: { ...deps.workspaces, checkout } }, work)
}
