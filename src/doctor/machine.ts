import { defaultEnvironmentNames } from '../adapters/runtime/claude-code/contract.ts'
import { addedByDoor, isSecretName } from '../adapters/runtime/claude-code/environment.ts'
import { findProgram } from '../processes/find-program.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The programs of the coding agents that a runtime exists for. */
const codingAgents = ['claude']

export function examineMachine(env: Environment): Finding[] {
  return [examineNode(process.versions.node), ...examineTools(env), examineCodingAgents(env), ...examineAgentKeys(env)]
}

function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return ok('node', version)
  return fail('node', `${version}; 22.18 or newer is required`, 'Install a newer Node from https://nodejs.org.')
}

function examineTools(env: Environment): Finding[] {
  const tools = [
    ['git', 'git', 'Install git.'],
    ['tmux', 'tmux', 'Install tmux; live agents need it.'],
  ] as const
  return tools.map(([name, program, next]) => {
    const path = findProgram(program, env)
    return path === null ? warn(name, 'not found on PATH', next) : ok(name, path)
  })
}

/** Returns the runtimes of the installed coding agents. */
export const runtimesFound = (env: Environment): string[] =>
  findProgram('claude', env) === null ? [] : ['claude-code']

const agentKeys = defaultEnvironmentNames.filter((name) => /KEY|TOKEN/.test(name))

/** Searches for coding agents but never starts one: that could ask for a login or cost money. */
function examineCodingAgents(env: Environment): Finding {
  const found = codingAgents.filter((name) => findProgram(name, env) !== null)
  if (found.length === 0)
    return warn(
      'coding agents',
      'claude is not on PATH',
      'Install Claude Code: "npm install -g @anthropic-ai/claude-code". Until then runs need --program, --runtime llm or --runtime scripted.',
    )
  if (found.includes('claude') && agentKeys.every((name) => (env[name] ?? '') === ''))
    return warn(
      'coding agents',
      `${found.join(', ')}; Claude Code has no key: none of ${agentKeys.join(', ')} is set here`,
      'Set one in the environment of the daemon; "claude setup-token" creates one from a subscription.',
    )
  return ok('coding agents', found.join(', '))
}

/**
 * Reports keys that an agent can read: a door adds the key of an API outside of the box; all other variables of the
 * environment are inside.
 */
export function examineAgentKeys(
  env: Environment,
  { isUnboxed = false, names = defaultEnvironmentNames }: { isUnboxed?: boolean; names?: readonly string[] } = {},
): Finding[] {
  const given = names.filter((name) => isSecretName(name) && (env[name] ?? '') !== '')
  const readable = isUnboxed ? given : given.filter((name) => !addedByDoor.includes(name))
  if (readable.length === 0 || findProgram('claude', env) === null) return []
  const isSubscription = readable.includes('CLAUDE_CODE_OAUTH_TOKEN')
  const why = isUnboxed ? ': there is no box' : isSubscription ? ', the log-in of your subscription' : ''
  const remedy = isUnboxed
    ? `Let agents run in a box: there an agent does not get ${addedByDoor.join(' and ')}.`
    : isSubscription
      ? 'Set ANTHROPIC_API_KEY instead: a boxed agent does not get it, see docs/claude-code.md.'
      : 'Remove it from claude.environment in config.yaml if Claude Code works without it.'
  return [warn('agent keys', `every command of a Claude Code agent can read ${readable.join(', ')}${why}`, remedy)]
}
