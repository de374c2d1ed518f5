import { basename, dirname, join } from 'node:path'

import { notFound, refusal } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { slug } from '../kernel/text.ts'
import type { OutputOf } from '../operations/contract.ts'
import type { Persona } from '../org/personas/store.ts'
import { type TierName, tierNames } from '../team/contract.ts'
import type { talentOperations, TalentView } from './contract.ts'
import { finishImports, importPool, type Imported } from './import.ts'
import { isFolder } from './markdown-files.ts'
import type { Pool, PoolEntry } from './model.ts'
import { entryOfPersona } from './personas.ts'
import { stemOf } from './pick.ts'
import { parsedName } from './parsed.ts'
import { loadPool, type PoolLocation } from './pool.ts'
import { createPoolReader, type PoolReader } from './reader.ts'
import { listPrompts } from './prompts.ts'
import { defaultTalent, mapOf, resolveTalent } from './resolve.ts'
import { checkTeamTalent, registryPath, type TeamTalent } from './team-talent.ts'

export interface TalentFolders {
  /** The files that ship with Agency: `agents/` and `role_registry.yaml`. */
  bundled: string
  /** The same two of this home, including imported files. */
  home: string
  /** The playbooks that ship with Agency, each with a folder of prompts. */
  playbooks: string
  /** The folder of this home's own prompts. */
  prompts: string
}

export type Talent = Awaited<ReturnType<typeof openTalent>>

type Answer<Name extends keyof typeof talentOperations> = OutputOf<(typeof talentOperations)[Name]>

/** The pool in the daemon's memory: read at the start, after an import, and for every list or show request. */
export async function openTalent({
  folders,
  log,
  reader = createPoolReader(),
}: {
  folders: TalentFolders
  log: Log
  reader?: PoolReader
}) {
  const bundled = { ...locationIn('bundled', folders.bundled), parsed: join(folders.bundled, parsedName) }
  const locations: PoolLocation[] = [bundled, locationIn('own', folders.home)]
  let pool: Pool
  /** Pools of the teams of open runs, by the talent keys of their files. */
  const teamPools = new Map<string, { location: PoolLocation; pool: Pool; remainingChecks: number }>()
  let last: Promise<unknown> = Promise.resolve()

  /** Runs tasks one after the other: during an import, another import or a read would see half of it. */
  const serialise = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  const load = async (): Promise<Pool> => {
    pool = await loadPool(locations, reader)
    for (const each of teamPools.values()) each.pool = await loadPool([...locations, each.location], reader)
    return pool
  }
  const reload = (): Promise<Pool> => serialise(load)
  const poolOf = (team?: TeamTalent | null): Pool =>
    (team === undefined || team === null ? undefined : teamPools.get(keyOf(team))?.pool) ?? pool

  await finishImports(folders.home).catch((error: unknown) =>
    log.error('an import of talent could not be finished; the next one retries', { error }),
  )
  for (const warning of (await load()).warnings) log.warn('talent pool', { warning })

  return {
    /**
     * The current pool, for casting inside a transaction. A team's pool must have been prepared; otherwise ours is
     * used.
     */
    pool: poolOf,

    /** Reads a team's pool; refuses one that does not exist. */
    async prepare(team: TeamTalent): Promise<void> {
      const known = teamPools.get(keyOf(team))
      if (known !== undefined) known.remainingChecks = checksBeforeRun
      if (known !== undefined || (team.path === null && team.registry === null)) return
      const location = await locationOfTeam(team, folders.home)
      await serialise(async () => {
        const loaded = await loadPool([...locations, location], reader)
        const faulty = loaded.warnings.find((warning) => warning.startsWith(`${location.registry}:`))
        if (faulty !== undefined) throw refusal('invalid_input', `talent.registry: ${faulty}`)
        teamPools.set(keyOf(team), { location, pool: loaded, remainingChecks: checksBeforeRun })
      })
    },

    /** Drops the pools of teams whose runs have ended. */
    keepOnly(atWork: readonly TeamTalent[]): void {
      const keys = new Set(atWork.map(keyOf))
      for (const [key, each] of teamPools)
        if (keys.has(key)) each.remainingChecks = 0
        else if (each.remainingChecks-- <= 0) teamPools.delete(key)
    },

    reload,

    /**
     * Returns the text of a pool persona; reads the file each time, so that an edit takes effect at once. It is the
     * same persona in every team with a file of that path: the text in another team's pool does not concern this one.
     */
    async textOf(persona: Persona, team?: TeamTalent | null): Promise<string> {
      const entry = entryOfPersona(poolOf(team), persona)
      if (entry === undefined)
        throw notFound(
          'personality',
          persona.slug,
          'It is no longer in the talent pool; import it again, or write its skill.md.',
        )
      return currentText(entry, reader)
    },

    async list({
      tier,
      division,
    }: {
      tier?: TierName | undefined
      division?: string | undefined
    }): Promise<Answer<'list'>> {
      const { entries, warnings } = await reload()
      const wanted = division === undefined ? undefined : slug(division)
      return {
        entries: entries
          .filter((each) => tier === undefined || each.tiers.includes(tier))
          .filter((each) => wanted === undefined || each.division === wanted)
          .map(viewOf),
        warnings: [...warnings],
      }
    },

    async show(name: string): Promise<Answer<'show'>> {
      const entry = resolveTalent(await reload(), name)
      return { ...viewOf(entry), text: entry.text }
    },

    async map(): Promise<Answer<'map'>> {
      const found = await reload()
      return {
        rows: mapOf(found).map(({ tier, domain, name, from }) => ({ tier, domain, name, from })),
        defaults: Object.fromEntries(tierNames.map((tier) => [tier, stemOf(defaultTalent(found, tier, '').path)])),
        warnings: [...found.warnings],
      }
    },

    import: (directory: string): Promise<Imported> =>
      serialise(async () => {
        const imported = await importPool(folders.home, join(folders.bundled, 'agents'), directory, reader)
        await load()
        return imported
      }),

    prompts: async (): Promise<Answer<'prompts'>> => listPrompts(folders.playbooks, folders.prompts),
  }
}

/**
 * The number of checks that a pool survives before its run is recorded: in between, a repository may have to be cloned.
 */
const checksBeforeRun = 120

const locationIn = (from: PoolLocation['from'], folder: string): PoolLocation => ({
  from,
  agents: join(folder, 'agents'),
  registry: join(folder, 'role_registry.yaml'),
})

const keyOf = ({ path, registry }: TeamTalent): string => JSON.stringify([path, registry])

/**
 * Uses the team's folder of divisions, or its `agents` folder; a registry alone applies to the existing personalities.
 */
async function locationOfTeam(team: TeamTalent, home: string): Promise<PoolLocation> {
  const problem = await checkTeamTalent(team)
  if (problem !== null) throw refusal('invalid_input', `talent.${problem.key}: ${problem.message}`)
  const { path, registry } = team
  // Without a folder of its own, the team uses the home's personalities again.
  if (path === null) return { ...locationIn('own', home), registry: registry ?? '' }
  const agents = (await isFolder(join(path, 'agents'))) ? join(path, 'agents') : path
  return { from: 'team', agents, registry: registry ?? registryPath(path) }
}

const viewOf = ({ name, division, tiers, domains, capability, path, from }: PoolEntry): TalentView => ({
  name,
  division,
  tiers,
  domains,
  capability,
  path,
  from,
})

/** Keeps the previous text of a file that has become unreadable. */
async function currentText({ file, text }: PoolEntry, reader: PoolReader): Promise<string> {
  const [read] = await reader.read(dirname(file), [basename(file)])
  return read !== undefined && 'personality' in read && 'body' in read.personality ? read.personality.body : text
}
