import { readTeamFile } from '../daemon/team-file.ts'
import type { HomePaths } from '../daemon/home.ts'
import { AgencyError } from '../kernel/errors.ts'
import { standardRuntime } from '../team/contract.ts'
import { openTeam } from '../team/open.ts'
import type { RuntimeState } from '../team/resolve.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

export interface TeamContext {
  /** Coding agents that are installed, by the names of their runtimes. */
  readonly agents: readonly string[]
  readonly defaultRuntime: string | null
}

/**
 * Checks the team file and the runtimes of a tiered run. No agent is started; missing keys are reported by another
 * finding.
 */
export function examineTeam({ team: path }: Pick<HomePaths, 'team'>, { agents, defaultRuntime }: TeamContext): Finding {
  const state = (name: string, provider?: string): RuntimeState => ({ name, trouble: null, simulated: false, provider })
  const runtimes = [
    { ...state('scripted'), simulated: true },
    state('program'),
    state(standardRuntime),
    ...agents.map((name) => state(name, name)),
  ]
  try {
    const file = readTeamFile(path)
    const { team, problems } = openTeam(file, { runtimes, defaultRuntime })
    const [wrong] = problems.filter(({ code }) => code === 'invalid_input')
    if (wrong !== undefined) return fail('team', `${path}: ${wrong.message}`, more(path))
    const [missing] = problems
    // A fallback is of no use as long as no runtime is available.
    if (missing !== undefined) return warn('team', missing.message, missing.hint ?? more(path))
    if (team.warnings.length > 0) return warn('team', team.warnings.join('; '), more(file === null ? null : path))
    return ok('team', file === null ? `no ${path}; defaults` : path)
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    return fail('team', error.message, more(path))
  }
}

const more = (path: string | null): string =>
  path === null ? 'Run "agency inspect --tiers" to see the team.' : `Run "agency doctor --team ${path}" for details.`
