import { useQuery } from '@tanstack/react-query'

import type { WorkspaceView } from '../../src/work/mission-workspaces/contract.ts'
import { Columns } from '../parts/columns.tsx'
import { Heading } from '../parts/heading.tsx'
import { Empty, Failure, Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { counted, figure, size } from '../text.ts'
import { diskQuery, workspacesQuery } from '../workspace/queries.ts'

/** Lists the workspaces of missions and their disk use. */
export function WorkspacesPage() {
  const found = useQuery(workspacesQuery)
  const workspaces = found.data?.workspaces ?? []
  return (
    <>
      <Heading title="Workspaces" />
      {found.data !== undefined && <Disk />}
      {found.isPending && <Skeleton lines={6} label="the workspaces" />}
      {found.isError && found.data === undefined && (
        <Failure error={found.error} retry={() => void found.refetch()} name="The workspaces" />
      )}
      {found.data !== undefined && workspaces.length === 0 && (
        <Empty title="No workspaces yet" command="agency workspace create <mission>">
          A workspace is the folder that the runs of a mission share, one after the other. Create one for a mission:
        </Empty>
      )}
      {workspaces.length > 0 && (
        <table className="runs">
          <Columns of={{ State: '', Workspace: '', Files: 'figure wide', Disk: 'figure', Created: 'figure wide' }} />
          <tbody>
            {workspaces.map((workspace) => (
              <Row key={workspace.id} workspace={workspace} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

function Row({ workspace }: { workspace: WorkspaceView }) {
  const { disk, busy, policy } = workspace
  const full = disk !== null && disk.bytes > policy.limits.maxDiskMb * 1_000_000
  return (
    <tr data-workspace={workspace.id}>
      <td className="status">
        {busy === null ? (
          <StateLabel state={{ tone: 'off', text: 'idle' }} />
        ) : (
          <Link to={addresses.run(busy)}>
            <StateLabel state={{ tone: 'working', text: 'in use' }} />
          </Link>
        )}
      </td>
      <td className="goal">
        <Link to={addresses.workspace(workspace.missionId)}>{workspace.path}</Link>
        <code className="muted wide">{workspace.missionId}</code>
      </td>
      <td className="figure wide">{disk === null ? 'gone' : atLeast(disk.isPartial, figure(disk.files))}</td>
      <td className="figure">
        {disk !== null && (
          <span className={full ? 'tone-bad' : undefined}>{atLeast(disk.isPartial, size(disk.bytes))}</span>
        )}
      </td>
      <td className="figure wide age">
        <Ago at={workspace.createdAt} />
      </td>
    </tr>
  )
}

const atLeast = (isPartial: boolean, text: string): string => (isPartial ? `over ${text}` : text)

/** Shows the disk use of the root and everything below it, including the folders of briefs. */
function Disk() {
  const disk = useQuery(diskQuery).data
  if (disk === undefined) return null
  return (
    <p className="facts">
      <span className="figure">
        {atLeast(disk.total.isPartial, size(disk.total.bytes))} in {counted(disk.total.files, 'file')}
      </span>
      <span className="muted figure">{size(disk.freeBytes)} free</span>
      <code className="muted">{disk.root}</code>
    </p>
  )
}
