import type { Db, Tx } from '../../db/port.ts'
import { create } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { findOrganisation, type Organisation } from '../../org/organisations/store.ts'
import { resolvePersona } from '../../org/personas/find.ts'
import { limitFromTheStart, placeOfMission } from '../budgets/limits.ts'
import { choosePlaybook } from '../choose-playbook.ts'
import type { CreateMission, Mission, MissionLine } from './contract.ts'
import { moveMission, reopenMission } from './moves.ts'
import { findOpenRunOf, listSimulatedMissions } from '../runs/store.ts'
import { checkMissionMove, hasEnded, type MissionStatus } from './states.ts'
import { requireMission } from './find.ts'
import { listMissions, missions } from './store.ts'

export type Missions = ReturnType<typeof createMissions>

export interface MissionDeps {
  db: Db
  ids: Ids
  playbooks: ReadonlyMap<string, Playbook>
}

export function createMissions({ db, ids, playbooks }: MissionDeps) {
  return {
    create: (by: Actor, input: CreateMission): Promise<Mission> =>
      db.write([`org:${input.organisationId}`], (tx) =>
        insertMission(tx, ids, by, { ...input, playbook: choosePlaybook(playbooks, input.playbook).name }),
      ),

    list: (status: string | undefined, limit: number, organisationId?: number): Promise<{ missions: MissionLine[] }> =>
      db.read(async (tx) => {
        const found = await listMissions(tx, status, limit, organisationId)
        const simulated = await listSimulatedMissions(
          tx,
          found.map(({ id }) => id),
        )
        return { missions: found.map((mission) => ({ ...mission, simulated: simulated.has(mission.id) })) }
      }),

    show: (prefix: string): Promise<Mission> => db.read((tx) => requireMission(tx, prefix)),

    resolve: (prefix: string): Promise<string> => db.read(async (tx) => (await requireMission(tx, prefix)).id),

    async move(by: Actor, prefix: string, to: MissionStatus, reason: string | undefined): Promise<Mission> {
      const { id, organisationId } = await db.read((tx) => requireMission(tx, prefix))
      return db.write([`org:${organisationId}`], async (tx) => {
        const mission = await requireMission(tx, id)
        checkMissionMove(mission.status, to, mission.pausedFrom)
        // Otherwise the run would end and find its mission in another status.
        const run = await findOpenRunOf(tx, id)
        if (run !== undefined)
          throw refusal('conflict', `run ${run} of this mission is active and controls its status`, {
            hint: `Stop it with "agency cancel ${run}".`,
          })
        return moveMission(tx, mission, to, actorName(by), { reason })
      })
    },

    /** Returns the mission of a starting run: the named one from the backlog, or a new one made from its goal. Leaves it `planning`. */
    async open(
      tx: Tx,
      by: Actor,
      run: {
        missionId: string | undefined
        organisationId: number
        title: string
        description: string
        playbook: string
        /** Adds one step to a mission that continues afterwards: it joins the runs that are active. */
        isStep?: boolean
      },
    ): Promise<Mission> {
      const mission =
        run.missionId === undefined
          ? await insertMission(tx, ids, by, { ...emptyMission, ...run })
          : await requireMission(tx, run.missionId)
      if (mission.organisationId !== run.organisationId)
        throw refusal('invalid_input', `mission ${mission.id} belongs to organisation ${mission.organisationId}`, {
          hint: `Start it with --org ${mission.organisationId}.`,
        })
      await requireActive(tx, mission.organisationId)
      if (run.isStep === true && mission.status === 'in_progress') return mission
      return moveMission(tx, mission, 'planning', actorName(by))
    },

    /** Continues a mission that has ended with another run; one with an open run is left to that run. */
    async reopen(tx: Tx, by: Actor, missionId: string): Promise<Mission | null> {
      const mission = await requireMission(tx, missionId)
      await requireActive(tx, mission.organisationId)
      return hasEnded(mission.status) ? reopenMission(tx, mission, actorName(by)) : null
    },
  }
}

/** An archived or dormant organisation keeps its missions and gets no further work. */
async function requireActive(tx: Tx, organisationId: number): Promise<Organisation> {
  const organisation = await findOrganisation(tx, organisationId)
  if (organisation === undefined)
    throw notFound('organisation', organisationId, 'List them with "agency org list"; create or import makes one.')
  if (organisation.status !== 'active')
    throw refusal('conflict', `organisation ${organisation.slug} is ${organisation.status} and takes no work`, {
      hint: `Make it active first: agency org update --org ${organisation.slug} --status active`,
    })
  return organisation
}

const emptyMission = { priority: 'medium', acceptance: '', tags: [], contextNotes: '', deliverables: [] } as const

async function insertMission(
  tx: Tx,
  ids: Ids,
  by: Actor,
  input: Omit<CreateMission, 'playbook' | 'tags' | 'deliverables'> & {
    playbook: string
    tags: readonly string[]
    deliverables: readonly string[]
  },
): Promise<Mission> {
  const organisation = await requireActive(tx, input.organisationId)
  const parent = input.parentMission === undefined ? null : await requireMission(tx, input.parentMission)
  if (parent !== null && parent.organisationId !== organisation.id)
    throw refusal('invalid_input', `mission ${parent.id} belongs to organisation ${parent.organisationId}`, {
      hint: 'A mission and its parts belong to one organisation.',
    })
  const mission: Mission = {
    id: ids.next('mission'),
    organisationId: organisation.id,
    projectId: null,
    title: input.title,
    description: input.description,
    status: 'backlog',
    pausedFrom: null,
    priority: input.priority,
    playbook: input.playbook,
    acceptance: input.acceptance,
    assignee: input.assignee === undefined ? null : (await resolvePersona(tx, input.assignee)).id,
    parentMission: parent?.id ?? null,
    tags: [...input.tags],
    contextNotes: input.contextNotes,
    tokenBudget: input.tokenBudget ?? null,
    costLimit: input.costLimit ?? null,
    deadline: input.deadline ?? null,
    deliverables: [...input.deliverables],
    outcomeSummary: null,
    lessonsLearned: null,
    workspacePath: null,
    passed: [{ status: 'backlog', at: tx.at }],
    createdAt: tx.at,
    updatedAt: tx.at,
  }
  await create(tx, missions, mission, {
    kind: 'mission_created',
    by: actorName(by),
    level: 'verbose',
    message: mission.title,
    data: { mission_id: mission.id },
  })
  await limitFromTheStart(tx, placeOfMission(mission), actorName(by), {
    tokens: mission.tokenBudget,
    usd: mission.costLimit,
  })
  return mission
}
