import type { Db, ReadTx, Tx } from '../../db/port.ts'
import { type Actor } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import type { Repositories } from '../../repositories/port.ts'
import { findActiveWorkspace } from '../mission-workspaces/store.ts'
import type { Run, RunConfiguration } from '../runs/contract.ts'
import type { Runs } from '../runs/service.ts'
import { listContinuations, listRunsIn } from '../runs/store.ts'
import { readOrigin } from './origin.ts'
import { planRetry, type RetryQuery } from './plan.ts'
import { reopenRepository } from './repository.ts'

export interface ContinuationDeps {
  db: Db
  playbooks: ReadonlyMap<string, Playbook>
  runs: Pick<Runs, 'createContinuation'>
  repositories?: Repositories | undefined
}

export type Continuations = ReturnType<typeof createContinuations>

/** Continues ended runs with new ones; an ended run itself never changes. */
export function createContinuations({ db, playbooks, runs, repositories }: ContinuationDeps) {
  return {
    async retry(by: Actor, prefix: string, query: RetryQuery & { readonly anyway?: boolean }): Promise<Run> {
      const origin = await db.read(async (tx) => {
        const found = await readOrigin(tx, prefix)
        await checkPlace(tx, found.run)
        if (query.anyway !== true) await refuseContinued(tx, found.run)
        return found
      })
      const { run } = origin
      const plan = await planRetry(origin, query, {
        hasPlan: playbooks.get(run.playbook)?.hasPlan === true,
        isIn: async ({ branchCommit }, commit) =>
          run.repository === null ||
          branchCommit === null ||
          (await repositories?.contains(run.repository.mirror, commit, branchCommit)) === true,
      })
      const { commit } = plan
      const repository = run.repository === null ? null : await reopenRepository(repositories, run, commit)
      const at = repository === null ? null : (commit ?? repository.base)
      const note = at === null ? plan.continues.note : `${plan.continues.note} Its work begins at ${at.slice(0, 12)}.`
      const configuration = configurationOf(run.configuration, plan.briefs.length > 0, {
        ...plan.continues,
        commit,
        note,
      })
      return runs.createContinuation(
        by,
        run,
        { briefs: plan.briefs, repository, head: commit, configuration },
        async (tx) => {
          await checkPlace(tx, run)
          // Another request may have been first.
          if (query.anyway !== true) await refuseContinued(tx, run)
        },
      )
    },
  }
}

/** The plan was made and approved before; only a run that begins again makes another one. */
function configurationOf(
  { planner, planGate, ...configuration }: RunConfiguration,
  hasBriefs: boolean,
  continues: NonNullable<RunConfiguration['continues']>,
): RunConfiguration {
  return { ...configuration, planner: planner && !hasBriefs, planGate: planGate && !hasBriefs, continues }
}

/** Refuses a run whose work is a part of something that continues by itself, or whose workspace is gone or in use. */
async function checkPlace(tx: ReadTx, { id, missionId, configuration }: Run): Promise<void> {
  const { purpose, reverts, workspace } = configuration
  if (reverts !== undefined)
    throw refusal('unsupported', `run ${id} takes ${reverts.runId} back, which is not done in parts`, {
      hint: `Take it back again: agency revert ${reverts.runId}`,
    })
  if (purpose !== undefined)
    throw refusal('unsupported', `run ${id} is one step of mission ${missionId}, which goes on by itself`, {
      hint: `Look at the mission: agency mission show ${missionId}`,
    })
  if (workspace === null) return
  if ((await findActiveWorkspace(tx, missionId))?.path !== workspace)
    throw refusal('conflict', `the workspace of ${id} no longer exists: ${workspace}`, {
      hint: `Begin again with "agency new --from ${id}".`,
    })
  const [other] = await listRunsIn(tx, missionId, workspace)
  if (other !== undefined)
    throw refusal('conflict', `run ${other.id} works in the workspace of ${id}`, {
      hint: `Wait for its end with "agency watch ${other.id}".`,
      data: { run_id: other.id },
    })
}

async function refuseContinued(tx: ReadTx | Tx, { id }: Run): Promise<void> {
  const open = (await listContinuations(tx, id)).find(
    ({ endedAt, configuration }) => endedAt === null && configuration.continues?.kind === 'retry',
  )
  if (open === undefined) return
  throw refusal('conflict', `run ${open.id} continues ${id} already`, {
    hint: `Follow it with "agency watch ${open.id}", or start another one: agency retry ${id} --anyway`,
    data: { continued_by: open.id },
  })
}
