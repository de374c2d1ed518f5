/**
 * Disables hooks, monitors, helpers and transports regardless of the repository's own configuration. Settings on the
 * command line override every file.
 */
export const safeSettings: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.alternateRefsCommand': 'true',
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.askPass': 'false',
  'credential.helper': '',
  'protocol.allow': 'never',
  'protocol.ext.allow': 'never',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'commit.gpgSign': 'false',
  'log.showSignature': 'false',
  'color.ui': 'false',
  // Silences advice about the empty file that stands for no grafts.
  'advice.graftFileDeprecated': 'false',
  'i18n.logOutputEncoding': 'UTF-8',
}

/**
 * Makes git read the objects that an agent wrote, not what other files in their directory claim about them: a commit
 * graph can give a commit another tree or other parents.
 */
export const distrustingSettings: readonly (readonly [key: string, value: string])[] = [
  ['core.commitGraph', 'false'],
  ['core.multiPackIndex', 'false'],
]

/**
 * Ignores all configuration but the repository's own; ignores replaced and grafted history, which is forged. The list of
 * allowed protocols overrides any configuration: a missing object is not fetched from the remote of the repository.
 */
export const safeEnvironment: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
}

/** Returns settings as arguments before git's command. */
export const settingWords = (settings: readonly (readonly [key: string, value: string])[]): string[] =>
  settings.flatMap(([key, value]) => ['-c', `${key}=${value}`])

/** A fetch of the named refs without side effects. */
export const plainFetch = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
] as const

/** Lists the filters that a repository configures: programs that git runs on files to compare or write them. */
export const listFilters = ['config', '-z', '--name-only', '--get-regexp', String.raw`^filter\.`]

/**
 * Returns settings that empty each filter by its name, which the repository chooses; null if there are more than 200.
 */
export function emptyFilters(names: string): Record<string, string> | null {
  const keys = [...new Set(names.split('\0').filter((name) => name !== ''))]
  if (keys.length > 200) return null
  return Object.fromEntries(keys.map((key) => [key, key.endsWith('.required') ? 'false' : '']))
}
