/**
 * Neither hooks, monitors, helpers nor transports, whatever the repository's own configuration says. Given on the
 * command line, these stand above every file.
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
  // About the empty file that stands for no grafts.
  'advice.graftFileDeprecated': 'false',
  'i18n.logOutputEncoding': 'UTF-8',
}

/**
 * No configuration but the repository's own; replaced or grafted history is a lie. A list of allowed protocols stands
 * above anything that a configuration allows: an object that is missing is not fetched from where the repository says.
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

/** As words before git's command. */
export const settingWords = (settings: readonly (readonly [key: string, value: string])[]): string[] =>
  settings.flatMap(([key, value]) => ['-c', `${key}=${value}`])

/** A fetch that brings what is named, and does nothing beside. */
export const plainFetch = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
] as const

/** How git is asked which filters a repository configures: programs that it runs on files to compare or write them. */
export const listFilters = ['config', '-z', '--name-only', '--get-regexp', String.raw`^filter\.`]

/** A filter's name is the repository's, so each is named and emptied; null where there are more than anybody needs. */
export function emptyFilters(names: string): Record<string, string> | null {
  const keys = [...new Set(names.split('\0').filter((name) => name !== ''))]
  if (keys.length > 200) return null
  return Object.fromEntries(keys.map((key) => [key, key.endsWith('.required') ? 'false' : '']))
}
