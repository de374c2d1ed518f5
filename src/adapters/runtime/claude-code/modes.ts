import type { AgentMode } from '../port.ts'

/** Tools that need a person at the terminal, a later day, or another checkout. */
const unusable = ['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup', 'EnterWorktree', 'ExitWorktree']
const writers = ['Edit', 'Write', 'NotebookEdit']
/** The tools that start further agents; newer versions use the second name. */
const teams = ['Task', 'Agent']

export interface ModeArguments {
  readonly allowed: readonly string[]
  readonly disallowed: readonly string[]
  /** Operations that need approval each time, although their tool is allowed. */
  readonly ask: readonly string[]
  readonly flags: [flag: string, ...values: string[]]
}

/**
 * Translates each mode into Claude Code's own rules. They are a courtesy, not a boundary (`python -c` deletes as well as
 * `rm` does): the boundary is the box.
 */
export function modeArguments(mode: AgentMode, nativeTeams = true): ModeArguments {
  const disallowed = nativeTeams ? unusable : [...unusable, ...teams]
  // Claude Code's plan mode also forbids the tools by which an agent reports. The default mode allows tools that only read.
  if (mode === 'plan_only')
    return {
      // A verifier proves by the hash that it opened a file without lines.
      allowed: ['Read', ...shell('sha256sum:*'), agency],
      disallowed: [...disallowed, ...writers],
      ask: [],
      flags: ['--permission-mode', 'default'],
    }
  const allowed = ['Bash', 'Read', 'WebSearch', ...(nativeTeams ? ['Task'] : []), 'Skill', agency]
  // Edits inside the workspace are accepted, others need approval.
  if (mode === 'cautious') return { allowed, disallowed, ask: cautious, flags: ['--permission-mode', 'acceptEdits'] }
  return {
    allowed: [...allowed, ...writers, 'WebFetch'],
    disallowed,
    ask: [],
    flags: ['--dangerously-skip-permissions'],
  }
}

/** All tools of the MCP server that is bound to the attempt. */
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
