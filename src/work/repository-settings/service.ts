import type { Db } from '../../db/port.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import type { Repositories } from '../../repositories/port.ts'
import { listRunsHeldBy } from '../attempts/store.ts'
import { withdrawQuestion } from '../questions/ask.ts'
import { type Question, runIdOf } from '../questions/contract.ts'
import { openScope, type RunScope, type ScopeParts } from '../scope.ts'
import { releaseChecks } from './answer.ts'
import type { HostChecks, RepositorySettings, RepositoryView, SetRepository } from './contract.ts'
import { saveRepositorySettings, type SettingsPatch } from './moves.ts'
import { storedSetup } from './resolve.ts'
import {
  checksHold,
  findRepositorySettings,
  findWaitingQuestion,
  listRepositorySettings,
  listWaitingQuestions,
  repositoryOf,
} from './store.ts'

export interface RepositorySettingsDeps {
  db: Db
  scopes: ScopeParts
  /** Without it, no run can have a repository. */
  repositories?: Repositories | undefined
  /** The commands that the configuration allows outside any box, by repository. */
  hostChecks?: ReadonlyMap<string, HostChecks> | undefined
}

export type RepositorySettingsService = ReturnType<typeof createRepositorySettings>

export function createRepositorySettings({ db, scopes, repositories, hostChecks = new Map() }: RepositorySettingsDeps) {
  const viewOf = (
    path: string,
    settings: RepositorySettings | undefined,
    question: Question | undefined,
  ): RepositoryView => {
    const host = hostChecks.get(path) ?? null
    const known = settings ?? { path, checks: 'checkout' as const, setup: null, paths: [], ...neverSet }
    return { ...known, checks: host === null ? known.checks : 'host', host, questionId: question?.id ?? null }
  }

  /** Finds the top of a repository. One that is gone is still found by its exact path, if it has settings. */
  async function locate(path: string): Promise<string> {
    if (repositories === undefined) throw refusal('unsupported', 'this Agency works in no repositories')
    try {
      return await repositories.locate(path)
    } catch (error) {
      if (!(error instanceof AgencyError) || error.code === 'bug') throw error
      if ((await db.read((tx) => findRepositorySettings(tx, path))) === undefined) throw error
      return path
    }
  }

  /**
   * Continues work that waits for the checks of a repository, unless its question still has to be answered. A question
   * that is older than the settings is answered by them. Each run is continued in a transaction of its own.
   */
  async function release(path: string): Promise<void> {
    const { question, settings } = await db.read(async (tx) => ({
      question: await findWaitingQuestion(tx, path),
      settings: await findRepositorySettings(tx, path),
    }))
    if (question !== undefined) {
      if (settings === undefined || settings.updatedAt < question.createdAt) return
      await inRun(runIdOf(question), (scope) => withdrawQuestion(scope, question.id))
    }
    for (const runId of await db.read((tx) => listRunsHeldBy(tx, checksHold(path))))
      await inRun(runId, (scope) => releaseChecks(scope, path, 'its evidence is checked again'))
  }

  const inRun = (runId: string, work: (scope: RunScope) => Promise<void>): Promise<void> =>
    db.write([`run:${runId}`], async (tx) => {
      const scope = await openScope(scopes, tx, runId)
      if (scope !== null && scope.run.endedAt === null) await work(scope)
    })

  return {
    list: () =>
      db.read(async (tx) => {
        const known = new Map((await listRepositorySettings(tx)).map((each) => [each.path, each]))
        const asked = new Map((await listWaitingQuestions(tx)).map((each) => [repositoryOf(each.askedBy), each]))
        const paths = [...new Set([...known.keys(), ...hostChecks.keys(), ...asked.keys()])].sort()
        return { repositories: paths.map((path) => viewOf(path, known.get(path), asked.get(path))) }
      }),

    async show(path: string): Promise<RepositoryView> {
      const top = await locate(path)
      return db.read(async (tx) =>
        viewOf(top, await findRepositorySettings(tx, top), await findWaitingQuestion(tx, top)),
      )
    },

    async set(by: Actor, { path, checks, setup, paths }: SetRepository): Promise<RepositoryView> {
      const patch: SettingsPatch = {
        ...(checks === undefined ? {} : { checks }),
        ...(setup === undefined ? {} : { setup: storedSetup(setup) }),
        ...(paths === undefined ? {} : { paths: paths.map(withoutSlash) }),
      }
      if (Object.keys(patch).length === 0) throw refusal('invalid_input', 'nothing is set: give checks, setup or paths')
      const top = await locate(path)
      if (checks !== undefined && hostChecks.has(top))
        throw refusal('conflict', `config.yaml says that work on ${top} is checked on the host`, {
          hint: 'Remove the repository from checks.host in config.yaml and restart the daemon.',
        })
      const settings = await db.write(['system'], async (tx) => {
        await scopes.later?.(tx, { kind: 'release_checks', repository: top })
        return saveRepositorySettings(tx, top, patch, actorName(by))
      })
      await release(top)
      return viewOf(top, settings, undefined)
    },

    release,
  }
}

const neverSet = { updatedBy: null, updatedAt: null }

const withoutSlash = (path: string): string => path.replace(/\/+$/, '')
