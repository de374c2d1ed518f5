import type { AgentMode } from '../port.ts'

/** Tools that are about somebody sitting there, about other days, or about a checkout that is not ours. */
const useless = ['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup', 'EnterWorktree', 'ExitWorktree']
const writers = ['Edit', 'Write', 'NotebookEdit']
/** What starts agents of its own; newer versions call it otherwise. */
const teams = ['Task', 'Agent']

export interface ModeArguments {
  readonly allowed: readonly string[]
  readonly disallowed: readonly string[]
  /** Operations that are asked for each time, though their tool is allowed. */
  readonly ask: readonly string[]
  readonly flags: [flag: string, ...values: string[]]
}

/**
 * What each mode means in Claude Code's own rules. They are a courtesy, not a boundary (`python -c` deletes as well as
 * `rm` does): the boundary is the box.
 */
export function modeArguments(mode: AgentMode, nativeTeams = true): ModeArguments {
  const disallowed = nativeTeams ? useless : [...useless, ...teams]
  // Its own plan mode also forbids the tools by which an agent reports. What only reads is allowed in the default mode.
  if (mode === 'plan_only')
    return {
      allowed: ['Read', agency],
      disallowed: [...disallowed, ...writers],
      ask: [],
      flags: ['--permission-mode', 'default'],
    }
  const allowed = ['Bash', 'Read', 'WebSearch', ...(nativeTeams ? ['Task'] : []), 'Skill', agency]
  // Edits inside of the workspace are accepted, others are asked for.
  if (mode === 'cautious') return { allowed, disallowed, ask: cautious, flags: ['--permission-mode', 'acceptEdits'] }
  return {
    allowed: [...allowed, ...writers, 'WebFetch'],
    disallowed,
    ask: [],
    flags: ['--dangerously-skip-permissions'],
  }
}

/** All tools of the server that is bound to the attempt. */
const agency = 'mcp__agency'

const shell = (...commands: string[]): string[] => commands.map((command) => `Bash(${command})`)

const cautious: readonly string[] = [
  ...shell('rm:*', 'rmdir:*', 'unlink:*', 'shred:*', 'find *-delete*', 'find *-exec*', 'xargs:*', 'truncate:*', 'dd:*'),
  ...shell('git push:*', 'git clean:*', 'git reset *--hard*', 'git branch *-D*', 'git filter-branch:*', 'git remote:*'),
  ...shell('npm publish:*', 'npm unpublish:*', 'pnpm publish:*', 'yarn publish:*', 'yarn npm publish:*'),
  ...shell('cargo publish:*', 'twine upload:*', 'gem push:*', 'docker push:*', 'gh:*'),
  ...shell(
    'curl *-X*',
    'curl *--request*',
    'curl *-d *',
    'curl *--data*',
    'curl *-F *',
    'curl *--form*',
    'curl *--json*',
  ),
  ...shell('curl *-T *', 'curl *--upload-file*', 'wget *--post*', 'wget *--method*', 'wget *--body*'),
  ...shell('scp:*', 'sftp:*', 'ssh:*', 'rsync:*', 'ftp:*', 'nc:*', 'telnet:*', 'sudo:*', 'su:*'),
  ...shell('sh -c:*', 'bash -c:*', 'zsh -c:*', 'eval:*'),
]
