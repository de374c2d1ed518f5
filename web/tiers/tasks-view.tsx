import { dataOfBrief } from '../../src/playbooks/tiered/contract.ts'
import { useId, useMemo } from 'react'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { briefState } from '../briefs/state.ts'
import { LongTable } from '../parts/long-table.tsx'
import { Sign, type State, StateLabel } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link, setQuery, useAddress } from '../router.tsx'
import { counted } from '../text.ts'
import { type Overlap, overlapsOf, scopeOf } from './overlaps.ts'
import { workersText } from '../briefs/progress.ts'
import { type Squad, taskId, type Team } from './team.ts'

type Row = { squad: Squad; task: null } | { squad: Squad; task: HeldBrief }

/** Shows the tasks of the squads with their claims, domain by domain, and marks claims that overlap. */
export function TasksView({ inspection, team }: { inspection: Inspection; team: Team }) {
  const { query } = useAddress()
  const squads = useMemo(() => team.streams.flatMap((stream) => stream.squads), [team])
  const meshes = useMemo(() => [...new Set(squads.map(({ mesh }) => mesh ?? ''))], [squads])
  const chosen = query.get('domain')
  const shown = chosen === null ? squads : squads.filter(({ mesh }) => (mesh ?? 'alone') === chosen)
  const overlaps = useMemo(() => overlapsOf(squads), [squads])
  const rows = shown.flatMap((squad): Row[] => [{ squad, task: null }, ...squad.tasks.map((task) => ({ squad, task }))])
  if (squads.length === 0)
    return <p className="none muted">No tasks yet: the squads plan them after the plan is approved.</p>
  const marked = shown.reduce((sum, { tasks }) => sum + tasks.filter(({ id }) => overlaps.has(id)).length, 0)
  const live = shown.reduce((sum, { tasks }) => sum + tasks.filter(({ status }) => status !== 'cancelled').length, 0)
  return (
    <>
      <div className="view-bar facts">
        {meshes.length > 1 && <DomainChoice meshes={meshes} chosen={chosen} />}
        <span>
          {counted(live, 'task')} of {counted(shown.length, 'squad')}
        </span>
        <StateLabel
          state={
            marked === 0
              ? { tone: 'good', text: 'no overlaps' }
              : { tone: 'waiting', text: `${counted(marked, 'task overlaps', 'tasks overlap')}` }
          }
        />
      </div>
      <div className="scrolls" tabIndex={0} role="region" aria-label="Tasks by squad">
        <LongTable
          label="Tasks by squad"
          columns={{ Task: '', Scope: '', Files: '', Mode: '', After: '', Status: '' }}
          rows={rows}
          keyOf={({ squad, task }) => task?.id ?? squad.ref}
          classOf={({ task }) => (task === null ? 'group-row' : undefined)}
          height={44}
          renderCells={({ squad, task }) =>
            task === null ? (
              <SquadCell squad={squad} />
            ) : (
              <TaskCells runId={inspection.run.id} task={task} overlaps={overlaps.get(task.id) ?? []} />
            )
          }
        />
      </div>
    </>
  )
}

function DomainChoice({ meshes, chosen }: { meshes: readonly string[]; chosen: string | null }) {
  const field = useId()
  return (
    <label className="check" htmlFor={field}>
      Domain
      <select id={field} value={chosen ?? ''} onChange={(event) => setQuery('domain', event.target.value)}>
        <option value="">all</option>
        {meshes.map((mesh) => (
          <option key={mesh} value={mesh === '' ? 'alone' : mesh}>
            {meshName(mesh)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** `mesh:1:t2:backend:r2` → `backend, wave 1, round 2`. */
export function meshName(mesh: string): string {
  const [, wave, , domain, round] = mesh.split(':')
  if (domain === undefined) return 'without a mesh'
  return [domain, `wave ${wave}`, ...(round === undefined ? [] : [`round ${round.slice(1)}`])].join(', ')
}

function SquadCell({ squad }: { squad: Squad }) {
  const { steps, tasks, mesh } = squad
  const found = steps.findLast(({ phase }) => phase === 't3_mesh')?.inputs['overlaps']
  const settled = Array.isArray(found) ? found.length : 0
  return (
    <th scope="rowgroup" colSpan={6}>
      <b>{squad.ref}</b> <span>{squad.name !== squad.id && squad.name}</span>{' '}
      <span className="muted">
        {mesh !== null && `${meshName(mesh)} · `}
        {splitOf(tasks)} · {workersText(tasks)}
        {settled > 0 && ` · ${counted(settled, 'overlap')} found in the drafts`}
      </span>
    </th>
  )
}

/** Describes the tasks of a squad: drafts can still change, committed tasks are fixed, released tasks are being done. */
function splitOf(tasks: readonly HeldBrief[]): string {
  const drafts = tasks.filter(({ status }) => status === 'draft').length
  const committed = tasks.filter(({ status }) => status === 'committed').length
  if (tasks.length === 0) return 'no tasks yet'
  if (drafts > 0) return counted(drafts, 'draft')
  return committed > 0 ? `${committed} committed` : 'released'
}

function TaskCells({ runId, task, overlaps }: { runId: string; task: HeldBrief; overlaps: readonly Overlap[] }) {
  const shared = new Set(overlaps.map(({ claim }) => claim.toLowerCase()))
  const before = task.inputs['depends_on']
  const { files, flow } = dataOfBrief(task)
  const after = Array.isArray(before) ? before.map(String) : []
  const scope = scopeOf(task)
  return (
    <>
      <td>
        <Link to={addresses.brief(runId, task.id)}>{taskId(task)}</Link>{' '}
        {task.title !== taskId(task) && <span>{task.title}</span>}
        {overlaps.length > 0 && <Overlaps overlaps={overlaps} runId={runId} />}
      </td>
      <td data-name="scope">
        <Claim text={scope} isShared={shared.has(scope.toLowerCase())} />
      </td>
      <td data-name="files" data-none={files.length === 0 || undefined}>
        {files.length === 0 && <span className="muted">–</span>}
        {files.slice(0, maxFiles).map((file) => (
          <p key={file}>
            <code>
              <Claim text={file} isShared={shared.has(file.replace(/^\.\//, '').toLowerCase())} />
            </code>
          </p>
        ))}
        {files.length > maxFiles && <p className="muted">and {files.length - maxFiles} more</p>}
      </td>
      <td>{flow ?? '–'}</td>
      <td data-name="after" data-none={after.length === 0 || undefined}>
        {after.length === 0 ? '–' : after.join(', ')}
      </td>
      <td>
        <StateLabel state={taskState(task)} />
      </td>
    </>
  )
}

const maxFiles = 6

/** Returns the state of a task. A draft that its author dropped was never worked on. */
const taskState = (task: HeldBrief): State =>
  task.status === 'cancelled' && task.attempts === 0 ? { tone: 'off', text: 'dropped' } : briefState(task)

const Claim = ({ text, isShared }: { text: string; isShared: boolean }) =>
  isShared ? <mark title="Another squad claims this too">{text}</mark> : <>{text}</>

function Overlaps({ overlaps, runId }: { overlaps: readonly Overlap[]; runId: string }) {
  return (
    <>
      {overlaps.slice(0, 3).map(({ claim, ref, brief }, index) => (
        <p key={index} className="stated tone-waiting">
          <Sign tone="waiting" />
          <span>
            overlaps: {claim} with {ref} <Link to={addresses.brief(runId, brief.id)}>{taskId(brief)}</Link>
          </span>
        </p>
      ))}
      {overlaps.length > 3 && <p className="muted">and {overlaps.length - 3} more</p>}
    </>
  )
}
