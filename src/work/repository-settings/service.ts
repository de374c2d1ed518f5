import type { Db } from '../../db/port.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { HostChecks, RepositorySettings, RepositoryView, SetRepository } from './contract.ts'
import { saveRepositorySettings, type SettingsPatch } from './moves.ts'
import { storedSetup } from './resolve.ts'
import { findRepositorySettings, listRepositorySettings } from './store.ts'

export interface RepositorySettingsDeps {
  db: Db
  /** Without it, no run can have a repository. */
  repositories?: Repositories | undefined
  /** The commands that the configuration allows outside any box, by repository. */
  hostChecks?: ReadonlyMap<string, HostChecks> | undefined
}

export type RepositorySettingsService = ReturnType<typeof createRepositorySettings>

export function createRepositorySettings({ db, repositories, hostChecks = new Map() }: RepositorySettingsDeps) {
  const viewOf = (path: string, settings: RepositorySettings | undefined): RepositoryView => {
    const host = hostChecks.get(path) ?? null
    const known = settings ?? { path, checks: 'checkout' as const, setup: null, paths: [], ...neverSet }
    return { ...known, checks: host === null ? known.checks : 'host', host, questionId: null }
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

  return {
    list: () =>
      db.read(async (tx) => {
        const known = new Map((await listRepositorySettings(tx)).map((each) => [each.path, each]))
        const paths = [...new Set([...known.keys(), ...hostChecks.keys()])].sort()
        return { repositories: paths.map((path) => viewOf(path, known.get(path))) }
      }),

    async show(path: string): Promise<RepositoryView> {
      const top = await locate(path)
      return db.read(async (tx) => viewOf(top, await findRepositorySettings(tx, top)))
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
      return db.write(['system'], async (tx) =>
        viewOf(top, await saveRepositorySettings(tx, top, patch, actorName(by))),
      )
    },
  }
}

const neverSet = { updatedBy: null, updatedAt: null }

const withoutSlash = (path: string): string => path.replace(/\/+$/, '')
