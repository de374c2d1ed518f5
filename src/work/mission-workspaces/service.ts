import type { Db, ReadTx } from '../../db/port.ts'
import { inserted, record, updated } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { toWire } from '../../operations/wire.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { Workspace, Workspaces } from '../../workspaces/port.ts'
import type { Mission } from '../missions/contract.ts'
import type { Missions } from '../missions/service.ts'
import { findMission, missions as missionRows } from '../missions/store.ts'
import { listRunsIn } from '../runs/store.ts'
import { decideAccess, defaultRules } from './access.ts'
import {
  type CheckAccess,
  type CreateWorkspace,
  type MissionWorkspace,
  WorkspaceRules,
  type WorkspaceView,
} from './contract.ts'
import { initialiseGit } from './git.ts'
import { categoryOf, firstFree, workspacePath } from './names.ts'
import {
  findActiveWorkspace,
  findEnclosing,
  findNewestWorkspace,
  isTaken,
  listWorkspaces,
  workspaces as rows,
} from './store.ts'
import type { Use, WorkspaceTree } from './tree.ts'

export interface WorkspaceDeps {
  db: Db
  ids: Ids
  missions: Missions
  tree: WorkspaceTree
  workspaces: Workspaces
  repositories?: Repositories | undefined
  /** Keeps the work of a clone since its start in its mirror; resolves to the ref, or null if there is none. */
  snapshot?: ((clone: RemovedClone) => Promise<string | null>) | undefined
}

export interface RemovedClone {
  workspace: Workspace
  mirror: string
  start: string
  /** Its name in the mirror. */
  ref: string
}

export type MissionWorkspaces = ReturnType<typeof createMissionWorkspaces>

export function createMissionWorkspaces(deps: WorkspaceDeps) {
  const { db, tree } = deps

  const requireActive = async (prefix: string): Promise<MissionWorkspace> => {
    const mission = await deps.missions.show(prefix)
    const workspace = await db.read((tx) => findActiveWorkspace(tx, mission.id))
    if (workspace !== undefined) return workspace
    throw refusal('not_found', `mission ${mission.id} has no workspace`, {
      hint: `Create one with "agency workspace create ${mission.id}".`,
    })
  }

  async function viewOf(workspace: MissionWorkspace): Promise<WorkspaceView> {
    const disk: Use | null = workspace.status === 'active' ? await tree.use(workspace.path).catch(() => null) : null
    const [busy] = await db.read((tx) => listRunsIn(tx, workspace.missionId, workspace.path))
    return { ...workspace, directory: `${tree.root}/${workspace.path}`, disk, busy: busy?.id ?? null }
  }

  return {
    requireActive,

    async create(by: Actor, input: CreateWorkspace): Promise<WorkspaceView> {
      const mission = await deps.missions.show(input.missionId)
      const wanted = workspacePath(mission, input.path)
      const repository = input.repo === undefined ? null : await openRepository(deps, input.repo)
      await tree.prepare({
        policy: toWire(WorkspaceRules, defaultRules()),
        defaults: { mode: 'yolo', timeout_minutes: 15, token_budget: 50_000 },
      })
      const id = deps.ids.next('workspace')
      // Paths are unique across organisations: the lock on `system` serialises their choice.
      const workspace = await db.write([`org:${mission.organisationId}`, 'system'], async (tx) => {
        const current = await missionWithoutWorkspace(tx, mission)
        const enclosing = await findEnclosing(tx, wanted)
        if (enclosing !== undefined)
          throw refusal('conflict', `${wanted} would be inside the workspace of ${enclosing.missionId}`, {
            hint: 'Choose another path with --path.',
          })
        const path = await firstFree(wanted, async (each) => !(await isTaken(tx, each)) && (await tree.isFree(each)))
        const made: MissionWorkspace = {
          id,
          organisationId: mission.organisationId,
          missionId: mission.id,
          path,
          category: categoryOf(path),
          repository: repository === null ? null : { ...repository, branch: `workspace/${id}` },
          policy: defaultRules(),
          status: 'active',
          log: '',
          createdAt: tx.at,
          updatedAt: tx.at,
          removedAt: null,
        }
        await record(
          tx,
          {
            kind: 'workspace_created',
            by: actorName(by),
            message: `${path} is the workspace of ${mission.id}`,
            data: { mission_id: mission.id, workspace_id: id, path },
          },
          [inserted(rows, made), updated(missionRows, current, { workspacePath: path, updatedAt: tx.at })],
        )
        return made
      })
      try {
        await makeDirectory(deps, workspace)
        await tree.writeFact(workspace.path, 'mission.json', {
          mission_id: mission.id,
          title: mission.title,
          description: mission.description,
          acceptance: mission.acceptance,
          workspace: workspace.path,
          run_id: null,
          brief: null,
          written_at: workspace.createdAt,
        })
      } catch (error) {
        await recordRemoval(deps, by, workspace, 'its directory could not be created')
        throw error
      }
      return viewOf(workspace)
    },

    async list(query: {
      removed: boolean
      organisationId?: number | undefined
      limit: number
    }): Promise<{ root: string; workspaces: WorkspaceView[] }> {
      const found = await db.read((tx) => listWorkspaces(tx, query))
      const workspaces: WorkspaceView[] = []
      for (const each of found) workspaces.push(await viewOf(each))
      return { root: tree.root, workspaces }
    },

    async disk() {
      const active = await db.read((tx) => listWorkspaces(tx, { removed: false, limit: 1_000 }))
      const { parts, freeBytes } = await tree.parts(active.map(({ path }) => path))
      const total = parts.reduce(
        (sum, { bytes, files, isPartial }) => ({
          bytes: sum.bytes + bytes,
          files: sum.files + files,
          isPartial: sum.isPartial || isPartial,
        }),
        { bytes: 0, files: 0, isPartial: false },
      )
      const largest = parts.sort((a, b) => b.bytes - a.bytes).slice(0, 200)
      return { root: tree.root, freeBytes, parts: largest, total }
    },

    /** Shows the newest workspace, even if it was removed: its log is still available. */
    async show(prefix: string): Promise<WorkspaceView> {
      const mission = await deps.missions.show(prefix)
      const newest = await db.read((tx) => findNewestWorkspace(tx, mission.id))
      return viewOf(newest ?? (await requireActive(mission.id)))
    },

    files: async (prefix: string, folder: string) => tree.list((await requireActive(prefix)).path, folder),

    file: async (prefix: string, name: string, from: number) =>
      tree.read((await requireActive(prefix)).path, name, from),

    async check({ missionId, access, path }: CheckAccess) {
      const workspace = await requireActive(missionId)
      return decideAccess(workspace.policy, { root: tree.root, workspace: workspace.path }, access, path)
    },

    async remove(
      by: Actor,
      prefix: string,
      force = false,
    ): Promise<{ workspace: MissionWorkspace; snapshot: string | null }> {
      const workspace = await requireActive(prefix)
      // Checked here, so that a busy workspace is not touched, and again when the removal is recorded.
      await db.read((tx) => checkIdle(tx, workspace))
      const exists = await tree.exists(workspace.path)
      const snapshot = exists ? await keepWork(deps, workspace, force) : null
      const log = exists ? await tree.readLog(workspace.path) : ''
      // First the record, then the disk: files left behind by a crash in between are shown by "agency workspace disk".
      const removed = await recordRemoval(deps, by, workspace, 'removed', log)
      if (exists) await tree.remove(workspace.path)
      return { workspace: removed, snapshot }
    },
  }
}

async function missionWithoutWorkspace(tx: ReadTx, { id }: Mission): Promise<Mission> {
  const existing = await findActiveWorkspace(tx, id)
  if (existing !== undefined)
    throw refusal('conflict', `mission ${id} already has a workspace: ${existing.path}`, {
      hint: `Remove it first with "agency workspace rm ${id}".`,
    })
  return (await findMission(tx, id)) as Mission
}

async function openRepository({ repositories }: WorkspaceDeps, path: string) {
  if (repositories === undefined) throw refusal('unsupported', 'this Agency does not work in repositories')
  const opened = await repositories.open(path)
  return { path: opened.path, mirror: opened.mirror, base: opened.base }
}

/**
 * Creates the directory: a clone if there is a repository; otherwise an empty repository, so that git can report
 * changes.
 */
async function makeDirectory(
  { workspaces, tree }: WorkspaceDeps,
  { id, path, repository }: MissionWorkspace,
): Promise<void> {
  await tree.make(path)
  const clone =
    repository === null ? null : { mirror: repository.mirror, branch: repository.branch, start: repository.base }
  const made = await workspaces.prepare({ id, runId: id, directory: path, clone, box: false })
  if (clone === null) await initialiseGit(made.path)
}

/** Keeps uncommitted work before its directory is removed. */
async function keepWork(
  { workspaces, snapshot }: WorkspaceDeps,
  { id, path, missionId, repository }: MissionWorkspace,
  force: boolean,
): Promise<string | null> {
  if (repository === null || snapshot === undefined) return null
  const { mirror, branch, base: start } = repository
  const workspace = await workspaces.prepare({
    id,
    runId: id,
    directory: path,
    clone: { mirror, branch, start },
    box: true,
  })
  return snapshot({ workspace, mirror, start, ref: id }).catch((error: unknown) => {
    if (force) return null
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    throw refusal('conflict', error.message, {
      hint: `Remove it anyway: agency workspace rm ${missionId} --force`,
    })
  })
}

/** Records that a workspace is removed, in its row and in its mission; refuses while a run works in it. */
async function recordRemoval(
  { db }: WorkspaceDeps,
  by: Actor,
  workspace: MissionWorkspace,
  why: string,
  log = '',
): Promise<MissionWorkspace> {
  return db.write([`org:${workspace.organisationId}`], async (tx) => {
    await checkIdle(tx, workspace)
    const mission = await findMission(tx, workspace.missionId)
    const patch: Partial<MissionWorkspace> = { status: 'removed', log, updatedAt: tx.at, removedAt: tx.at }
    await record(
      tx,
      {
        kind: 'workspace_removed',
        by: actorName(by),
        message: `${workspace.path} ${why}`,
        data: { mission_id: workspace.missionId, workspace_id: workspace.id, path: workspace.path },
      },
      [
        updated(rows, workspace, patch),
        ...(mission === undefined ? [] : [updated(missionRows, mission, { workspacePath: null, updatedAt: tx.at })]),
      ],
    )
    return { ...workspace, ...patch }
  })
}

async function checkIdle(tx: ReadTx, workspace: MissionWorkspace): Promise<void> {
  const [busy] = await listRunsIn(tx, workspace.missionId, workspace.path)
  if (busy !== undefined)
    throw refusal('conflict', `run ${busy.id} works in ${workspace.path}`, {
      hint: `Wait for it, or stop it with "agency cancel ${busy.id}".`,
    })
}
