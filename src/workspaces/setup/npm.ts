import type { CommitFiles, SetupPlan } from './plan.ts'

/**
 * Plans `npm ci` in two steps. The first downloads and unpacks packages without running any script, so that its result
 * follows from the lockfile alone; the second runs the scripts of packages and of the root, as `npm ci` would.
 */
export async function planNpm(lockfile: string, text: string, files: CommitFiles): Promise<SetupPlan> {
  const locked = readLockfile(text)
  const manifest = readObject((await files.read('package.json')) ?? '')
  const settings = (await files.read('.npmrc')) ?? ''
  const build = ignoresScripts(settings) ? [] : buildSteps(locked, manifest)
  const places = locked === null ? null : placesOf(locked)
  // npm removes such a directory before it installs; a copied result would be mixed with it.
  const isCommitted = await Promise.all((places ?? ['']).map((place) => files.isDirectory(join(place, 'node_modules'))))
  const isDetermined = places !== null && !isCommitted.includes(true)
  return {
    command: 'npm ci',
    install: { online: 'npm ci' },
    build: build.length === 0 ? null : build.join(' && '),
    // As variables, these also apply to an npm that npm starts, and a .npmrc of the commit cannot override them.
    environment: { npm_config_ignore_scripts: 'true', npm_config_git: 'git' },
    inputs: isDetermined ? [lockfile, ...toolFiles, ...places.map((place) => join(place, 'package.json'))] : null,
    programs: ['npm', 'node'],
    // npm puts packages of the commit itself into its cache too, where any lockfile finds them by their hash.
    keepsCache: places !== null && !redirectsRequests(settings),
  }
}

/** Files that choose the tool or set it up. */
const toolFiles = ['.npmrc', '.nvmrc', '.node-version', '.tool-versions']

/** Reports whether settings of the commit decide who answers requests to a registry: the cache names answers by address. */
const redirectsRequests = (settings: string): boolean =>
  /^\s*(?:https?-?proxy|proxy|no-?proxy|strict-ssl|ca|cafile|cert|key|local-address|userconfig|globalconfig)\s*(?:\[\])?\s*=/im.test(
    settings,
  )

type Packages = Readonly<Record<string, LockedPackage>>

interface LockedPackage {
  readonly version?: unknown
  readonly resolved?: unknown
  readonly link?: unknown
  readonly hasInstallScript?: unknown
}

/** Returns the packages of a lockfile; null for one of npm 6, which does not list what is needed here. */
function readLockfile(text: string): Packages | null {
  const { packages } = readObject(text)
  if (typeof packages !== 'object' || packages === null) return null
  return Object.values(packages).every((each) => typeof each === 'object' && each !== null)
    ? (packages as Packages)
    : null
}

/**
 * Returns the directories of the root and of its workspaces; null if a package comes from another place of the commit,
 * whose files then determine the result.
 */
function placesOf(packages: Packages): string[] | null {
  const installed = Object.entries(packages).filter(([path]) => path.split('/').includes('node_modules'))
  const isLocal = installed.some(([, each]) => each.link !== true && !isRemote(each))
  const places = Object.keys(packages).filter((path) => !path.split('/').includes('node_modules'))
  const isOutside = Object.keys(packages).some((path) => path.startsWith('/') || path.split('/').includes('..'))
  return isLocal || isOutside ? null : [...new Set(['', ...places])]
}

/** Reports whether a package comes from a server. npm takes any other address, also one without `file:`, for a path. */
const isRemote = ({ version, resolved }: LockedPackage): boolean =>
  resolved === undefined
    ? version === undefined || (typeof version === 'string' && /^\d[\w.+-]*$/.test(version))
    : typeof resolved === 'string' && /^(?:git\+)?(?:https?|ssh):\/\//.test(resolved)

/** Returns the commands for the scripts that `npm ci` runs: those of packages and workspaces, then those of the root. */
function buildSteps(packages: Packages | null, manifest: Record<string, unknown>): string[] {
  const rebuilt = packages === null ? null : packagesToRebuild(packages)
  const scripts = manifest['scripts']
  const own = new Set(typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : [])
  // Without names, npm rebuilds all packages, and runs the scripts of the root before theirs.
  const rebuild = rebuilt === null ? ['npm rebuild'] : rebuilt.length === 0 ? [] : [`npm rebuild ${rebuilt.join(' ')}`]
  return [
    ...rebuild,
    ...rootScripts
      // `npm run` runs the scripts before and after the named one by itself.
      .flatMap(([before, name, after]) => (own.has(name) ? [name] : [before, after].filter((each) => own.has(each))))
      .filter((name) => rebuilt !== null || !name.endsWith('install'))
      .map((name) => `npm run ${name}`),
  ]
}

/** Returns the names of packages with scripts, and of all workspaces; null if they are too many for one command. */
function packagesToRebuild(packages: Packages): string[] | null {
  const names = Object.entries(packages)
    .filter(([, { hasInstallScript, link }]) => hasInstallScript === true || link === true)
    .map(([path]) => path.split('node_modules/').at(-1) ?? '')
    // An agent may have written the lockfile: nothing else than a name becomes a part of a command.
    .filter((name) => packageName.test(name))
  const distinct = [...new Set(names)].sort()
  return distinct.length > 500 ? null : distinct
}

const packageName = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i

const rootScripts = ['install', 'prepublish', 'prepare'].map((name) => [`pre${name}`, name, `post${name}`] as const)

const ignoresScripts = (settings: string): boolean => /^[ \t]*ignore-scripts\s*(=\s*(true|1)\s*)?$/m.test(settings)

const join = (place: string, name: string): string => (place === '' ? name : `${place}/${name}`)

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
