import { useQuery, useQueryClient } from '@tanstack/react-query'

import type { WorkspaceView } from '../../src/work/mission-workspaces/contract.ts'
import { MissionMemory } from '../memory/mission-memory.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { keys } from '../queries.ts'
import { addresses, Link, useAddress } from '../router.tsx'
import { counted, figure, size } from '../text.ts'
import { FileTree } from './file-tree.tsx'
import { FileView } from './file-view.tsx'
import { workspaceQuery } from './queries.ts'

/** Shows the workspace of a mission: its files, the run that uses it, and its limits. */
export function WorkspacePage({ missionId }: { missionId: string }) {
  const found = useQuery(workspaceQuery(missionId))
  const { query } = useAddress()
  const path = query.get('path')
  if (found.data === undefined)
    return (
      <>
        <Heading title="Workspace" />
        {found.isPending && <Skeleton lines={10} label="the workspace" />}
        {found.isError && (
          <Failure error={found.error} retry={() => void found.refetch()} name={`The workspace of ${missionId}`} />
        )}
      </>
    )
  const workspace = found.data
  return (
    <>
      <WorkspaceHeader workspace={workspace} />
      {workspace.status === 'removed' ? (
        <Removed workspace={workspace} />
      ) : (
        <div className="run-grid files-grid">
          <FileTree missionId={workspace.missionId} current={path} />
          <div className="view-pane">
            {path === null ? (
              <p className="none muted">Select a file to read it.</p>
            ) : (
              <FileView key={path} missionId={workspace.missionId} path={path} />
            )}
          </div>
        </div>
      )}
      <MissionMemory missionId={workspace.missionId} />
    </>
  )
}

function WorkspaceHeader({ workspace }: { workspace: WorkspaceView }) {
  const queries = useQueryClient()
  const { disk, busy, repository, policy } = workspace
  const { limits } = policy
  return (
    <header className="run-header">
      <div className="grow">
        <Heading title={workspace.path} />
        <p className="facts">
          {busy === null ? (
            <StateLabel state={{ tone: 'off', text: workspace.status === 'removed' ? 'removed' : 'idle' }} />
          ) : (
            <Link to={addresses.run(busy)}>
              <StateLabel state={{ tone: 'working', text: 'in use' }} />
            </Link>
          )}
          {disk !== null && (
            <span className="figure">
              {disk.isPartial && 'over '}
              {size(disk.bytes)} <span className="muted">of {size(limits.maxDiskMb * 1_000_000)}</span> in{' '}
              {counted(disk.files, 'file')}
            </span>
          )}
          <span className="muted" title="Limits of one agent in this workspace">
            at most {counted(limits.maxProcesses, 'process', 'processes')}, {figure(limits.maxMemoryMb)} MB memory,{' '}
            {figure(limits.maxRuntimeMinutes)} min
          </span>
          <span className="muted">{policy.network.allowed ? 'may use the network' : 'no network'}</span>
          <span className="muted">
            created <Ago at={workspace.createdAt} />
          </span>
          <code className="muted">{workspace.missionId}</code>
        </p>
        <p className="facts">
          <code className="muted">{workspace.directory}</code>
          {repository !== null && (
            <span className="branches">
              <span className="muted">a clone of</span> <code>{repository.path}</code>{' '}
              <span className="muted">on branch</span> <code>{repository.branch}</code>
            </span>
          )}
        </p>
      </div>
      <button
        type="button"
        onClick={() => void queries.invalidateQueries({ queryKey: [...keys.workspaces, workspace.missionId] })}
      >
        Reload
      </button>
    </header>
  )
}

function Removed({ workspace }: { workspace: WorkspaceView }) {
  return (
    <section className="part">
      <p>
        The files were removed {workspace.removedAt !== null && <Ago at={workspace.removedAt} />}. The log of the
        workspace is kept.
      </p>
      {workspace.log !== '' && (
        <pre className="plain-text" tabIndex={0} role="region" aria-label="Log of the workspace">
          {workspace.log}
        </pre>
      )}
    </section>
  )
}
