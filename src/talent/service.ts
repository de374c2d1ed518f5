import { join } from 'node:path'

import { notFound, refusal } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { slug } from '../kernel/text.ts'
import type { OutputOf } from '../operations/contract.ts'
import type { Persona } from '../org/personas/store.ts'
import { type TierName, tierNames } from '../team/contract.ts'
import type { talentOperations, TalentView } from './contract.ts'
import { parsePersonality } from './front-matter.ts'
import { finishImports, importPool, type Imported } from './import.ts'
import { isFolder, readMarkdown } from './markdown-files.ts'
import type { Pool, PoolEntry } from './model.ts'
import { entryOfPersona } from './personas.ts'
import { stemOf } from './pick.ts'
import { loadPool, type PoolPlace } from './pool.ts'
import { listPrompts } from './prompts.ts'
import { defaultTalent, mapOf, resolveTalent } from './resolve.ts'
import { checkTeamTalent, registryPath, type TeamTalent } from './team-talent.ts'

export interface TalentPlaces {
  /** What ships with Agency: `agents/` and `role_registry.yaml`. */
  bundled: string
  /** The same two of this home, and what was imported. */
  home: string
  /** Playbooks as they ship, each with a folder of prompts. */
  playbooks: string
  /** Where this home's own prompts are. */
  prompts: string
}

export type Talent = Awaited<ReturnType<typeof openTalent>>

type Answer<Name extends keyof typeof talentOperations> = OutputOf<(typeof talentOperations)[Name]>

/** The pool as the daemon holds it: read at its start, after an import, and whenever somebody looks at it. */
export async function openTalent({ places, log }: { places: TalentPlaces; log: Log }) {
  const where: PoolPlace[] = [placeIn('bundled', places.bundled), placeIn('own', places.home)]
  let pool: Pool
  /** Of teams at work, by what their files say. */
  const ofTeams = new Map<string, { place: PoolPlace; pool: Pool; patience: number }>()
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: two imports, or a look in the middle of one, would see half of it. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  const load = async (): Promise<Pool> => {
    pool = await loadPool(where)
    for (const each of ofTeams.values()) each.pool = await loadPool([...where, each.place])
    return pool
  }
  const reload = (): Promise<Pool> => inTurn(load)
  const poolOf = (team?: TeamTalent | null): Pool =>
    (team === undefined || team === null ? undefined : ofTeams.get(keyOf(team))?.pool) ?? pool

  await finishImports(places.home).catch((error: unknown) =>
    log.error('an import of talent could not be finished; the next one tries again', { error }),
  )
  for (const warning of (await load()).warnings) log.warn('talent pool', { warning })

  return {
    /** As it is this moment, for casting inside a transaction. A team's must have been prepared; else it has ours. */
    pool: poolOf,

    /** Reads what a team brings; refuses what is not there. */
    async prepare(team: TeamTalent): Promise<void> {
      const there = ofTeams.get(keyOf(team))
      if (there !== undefined) there.patience = untilItsRun
      if (there !== undefined || (team.path === null && team.registry === null)) return
      const place = await placeOfTeam(team, places.home)
      await inTurn(async () => {
        const loaded = await loadPool([...where, place])
        const faulty = loaded.warnings.find((warning) => warning.startsWith(`${place.registry}:`))
        if (faulty !== undefined) throw refusal('invalid_input', `talent.registry: ${faulty}`)
        ofTeams.set(keyOf(team), { place, pool: loaded, patience: untilItsRun })
      })
    },

    /** Forgets what the teams of ended runs brought. */
    keepOnly(atWork: readonly TeamTalent[]): void {
      const keys = new Set(atWork.map(keyOf))
      for (const [key, each] of ofTeams)
        if (keys.has(key)) each.patience = 0
        else if (each.patience-- <= 0) ofTeams.delete(key)
    },

    reload,

    /**
     * What a persona of the pool is told about itself; read anew, so that an edit counts at once. It is the same persona
     * in every team that has a file of that path: what another team says of it is none of this one's business.
     */
    async textOf(persona: Persona, team?: TeamTalent | null): Promise<string> {
      const entry = entryOfPersona(poolOf(team), persona)
      if (entry === undefined)
        throw notFound(
          'personality',
          persona.slug,
          'It has left the talent pool; import it again, or write its skill.md.',
        )
      return currentText(entry)
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
      inTurn(async () => {
        const imported = await importPool(places.home, join(places.bundled, 'agents'), directory)
        await load()
        return imported
      }),

    prompts: async (): Promise<Answer<'prompts'>> => listPrompts(places.playbooks, places.prompts),
  }
}

/** How many looks a pool outlives before its run is seen: between the two, a repository may have to be cloned. */
const untilItsRun = 120

const placeIn = (from: PoolPlace['from'], folder: string): PoolPlace => ({
  from,
  agents: join(folder, 'agents'),
  registry: join(folder, 'role_registry.yaml'),
})

const keyOf = ({ path, registry }: TeamTalent): string => JSON.stringify([path, registry])

/** Its folder of divisions, or one that holds them in `agents`; a mapping alone is for people who are there already. */
async function placeOfTeam(team: TeamTalent, home: string): Promise<PoolPlace> {
  const problem = await checkTeamTalent(team)
  if (problem !== null) throw refusal('invalid_input', `talent.${problem.key}: ${problem.message}`)
  const { path, registry } = team
  // No place of its own: the home's people, again.
  if (path === null) return { ...placeIn('own', home), registry: registry ?? '' }
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

/** A file that became unreadable leaves us with what it said before. */
async function currentText(entry: PoolEntry): Promise<string> {
  const read = await readMarkdown(entry.file)
  const said = 'text' in read ? parsePersonality(read.text) : read
  return 'body' in said ? said.body : entry.text
}
