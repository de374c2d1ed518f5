import { isAbsolute, join } from 'node:path'

import type { Runtime } from '../../adapters/runtime/port.ts'
import type { Db } from '../../db/port.ts'
import { AgencyError, refusal } from '../../kernel/errors.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import type { Repositories } from '../../repositories/port.ts'
import { choosePlaybook } from '../choose-playbook.ts'
import { listFinishedRuns, listRecentRepositories } from '../runs/store.ts'
import type { CommandCheck, KnownRepository, RepositoryCheck, RunEstimate, RuntimeChoice } from './contract.ts'
import { estimateFrom } from './estimate.ts'
import { checkCommand } from './programs.ts'
import { readProject } from './project-files.ts'
import { suggestProofs } from './suggest-proofs.ts'

export interface ComposerDeps {
  db: Db
  runtimes: ReadonlyMap<string, Runtime>
  playbooks: ReadonlyMap<string, Playbook>
  repositories?: Repositories | undefined
  /** The configured defaults of runs. */
  defaults: { readonly runtime: string | null; readonly acceptance: 'auto' | 'operator' }
  place?: ComposerPlace | undefined
}

/** Where the daemon runs, for the words that a person types. */
export interface ComposerPlace {
  env: Readonly<Record<string, string | undefined>>
  /** The folder in which the daemon was started; null: unknown. */
  startedIn: string | null
  /** The folder of Agency's own files: repositories in it are its own, such as those of demonstrations. */
  home: string
}

export type Composer = ReturnType<typeof createComposer>

/** Tells what can be chosen for a run and what would go wrong with it. It starts nothing and changes nothing. */
export function createComposer(deps: ComposerDeps) {
  const env = deps.place?.env ?? {}
  return {
    async choices() {
      const runtimes = await runtimeChoices(deps.runtimes)
      const runtime = deps.defaults.runtime ?? runtimes.find(isAgent)?.name ?? null
      const { acceptance } = deps.defaults
      return { runtimes, runtime, acceptance, repositories: await knownRepositories(deps) }
    },

    async repository(path: string): Promise<RepositoryCheck> {
      try {
        const found = await inspect(deps, absolute(path, env))
        const { branch, dirty, warnings } = found
        const proofs = found.bare ? [] : await suggestProofs(await readProject(found.path))
        return { path: found.path, usable: true, problem: null, branch, dirty, warnings: [...warnings], proofs }
      } catch (error) {
        const { message, hint = null } = asRefusal(error, path)
        const problem = { message, hint }
        return { path, usable: false, problem, branch: null, dirty: false, warnings: [], proofs: [] }
      }
    },

    async check(commands: readonly string[], repo: string | undefined): Promise<CommandCheck[]> {
      const root = repo === undefined ? null : await topOf(deps, absolute(repo, env))
      return commands.map((run) => checkCommand(run, { env, root }))
    },

    async estimate(playbookName: string | undefined, runtime: string | undefined): Promise<RunEstimate> {
      const playbook = choosePlaybook(deps.playbooks, playbookName).name
      const name = runtime ?? deps.defaults.runtime
      const simulated = name !== null && deps.runtimes.get(name)?.capabilities.simulated === true
      return estimateFrom(await deps.db.read((tx) => listFinishedRuns(tx, { playbook, simulated })), simulated)
    },
  }
}

/** A runtime that is an agent by itself: a program of the operator is one only once she has named it. */
const isAgent = ({ usable, simulated, fields }: RuntimeChoice): boolean =>
  usable && !simulated && !fields.some(({ isRequired }) => isRequired)

async function runtimeChoices(runtimes: ReadonlyMap<string, Runtime>): Promise<RuntimeChoice[]> {
  const all = await Promise.all(
    [...runtimes.values()].map(async (runtime): Promise<RuntimeChoice> => {
      const found = await runtime.available()
      return {
        name: runtime.name,
        title: runtime.title ?? runtime.name,
        usable: found.ok,
        simulated: runtime.capabilities.simulated,
        offered: true,
        version: found.ok ? (found.version ?? null) : null,
        reason: found.ok ? null : found.reason,
        install: found.ok ? null : found.install,
        fields: (runtime.fields ?? []).map(
          ({ name, label, isCommand = false, isRequired = false, choices = null }) => ({
            name,
            label,
            isCommand,
            isRequired,
            choices: choices === null ? null : [...choices],
          }),
        ),
      }
    }),
  )
  // A program of the operator can always be named, so it does not count as an agent that was found.
  const hasAgent = all.some(({ usable, simulated, name }) => usable && !simulated && !isOwnProgram(runtimes, name))
  const offered = all.map((each) => (each.simulated ? { ...each, offered: !hasAgent } : each))
  const rank = ({ simulated, name }: RuntimeChoice): number => (simulated ? 2 : isOwnProgram(runtimes, name) ? 1 : 0)
  return offered.toSorted((a, b) => rank(a) - rank(b))
}

const isOwnProgram = (runtimes: ReadonlyMap<string, Runtime>, name: string): boolean =>
  runtimes.get(name)?.capabilities.fixed === true

async function knownRepositories(deps: ComposerDeps): Promise<KnownRepository[]> {
  const { place } = deps
  const recent = await deps.db.read(listRecentRepositories)
  const own = recent.filter(({ path }) => place === undefined || !isBelow(path, place.home)).slice(0, 12)
  const { startedIn = null } = place ?? {}
  const here = startedIn === null ? null : await topOf(deps, startedIn)
  if (here === null || (place !== undefined && isBelow(here, place.home))) return own
  const used = own.find(({ path }) => path === here)
  return [used ?? { path: here, usedAt: null }, ...own.filter((each) => each !== used)]
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

async function inspect({ repositories }: ComposerDeps, path: string) {
  if (repositories === undefined) throw refusal('unsupported', 'this Agency works in no repositories')
  const found = await repositories.inspect(path)
  if (found.branch === null)
    throw refusal('invalid_input', `${found.path} has no branch checked out, so there is no branch to land work on`, {
      hint: 'Check out a branch: git switch <branch>',
    })
  return found
}

/** Returns the top of the repository at a path; null: there is none that a run could use. */
async function topOf({ repositories }: ComposerDeps, path: string): Promise<string | null> {
  try {
    return (await repositories?.locate(path)) ?? null
  } catch (error) {
    if (isBug(error)) throw error
    return null
  }
}

/** Returns the path that a person means; a path relative to the daemon would mean another folder than hers. */
function absolute(path: string, env: ComposerPlace['env']): string {
  const home = env['HOME']
  if (home !== undefined && (path === '~' || path.startsWith('~/'))) return join(home, path.slice(2))
  if (path.startsWith('~'))
    throw refusal('invalid_input', `${path} names the home directory of another user`, {
      hint: 'Give the whole path, from / on.',
    })
  if (!isAbsolute(path))
    throw refusal('invalid_input', `${path} is not an absolute path`, {
      hint: 'Give the whole path, from / or ~/ on.',
    })
  return path
}

/** The path was typed by a person, so what git and the disk say about it is an answer and not a fault of the daemon. */
function asRefusal(error: unknown, path: string): { message: string; hint?: string | undefined } {
  if (isBug(error)) throw error
  if (error instanceof AgencyError) return error
  return { message: `${path} cannot be read: ${(error as Error).message}` }
}

const isBug = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  (error instanceof AgencyError && error.code === 'bug')
