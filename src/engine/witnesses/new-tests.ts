/**
 * Selects new tests that are not the only ones of their package. Without them the older tests still run, so that a command
 * which fails then has rested on the new ones. The files that a command names are needed by it.
 */
export function besideOlderTests(
  added: readonly string[],
  pathsAtStart: readonly string[],
  isTest: (path: string) => boolean,
): string[] {
  const named = added.filter((path) => testName.test(path))
  if (named.length === 0) return []
  const packages = new Set(pathsAtStart.filter((path) => manifest.test(path)).map(parentOf))
  const tested = new Set(pathsAtStart.filter(isTest).map((path) => packageOf(path, packages)))
  return named.filter((path) => tested.has(packageOf(path, packages)))
}

/** The names by which runners find tests by themselves: other files in directories of tests may be part of the product. */
const testName =
  /(?:[._-](?:test|spec|cy)\.[^/.]+|(?:^|\/)test[._-][^/]*|[a-z0-9](?:Test|Tests|Spec|IT)\.[^/.]+|\.(?:t|bats))$/

const manifest =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.py|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|Gemfile|mix\.exs|[^/]+\.csproj)$/

/** Returns the nearest directory above a file that is a package, or the top of the repository. */
function packageOf(path: string, packages: ReadonlySet<string>): string {
  let directory = parentOf(path)
  while (directory !== '' && !packages.has(directory)) directory = parentOf(directory)
  return directory
}

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/')
