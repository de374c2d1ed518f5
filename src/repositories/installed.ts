/** A directory with files that a tool has installed or built, which belong to no commit. */
export interface Installed {
  readonly directory: string
  readonly files: number
}

/** Fewer files may be a fixture of a test: they are searched for secrets and shown as odd like any others. */
const fewestWithMark = 20
const fewestByName = 200

/**
 * Finds directories of installed packages and of build results among new paths: those with a file by which their tool
 * marks them, and those with a usual name and many files.
 */
export function findInstalled(paths: readonly string[]): Installed[] {
  const fewest = new Map<string, number>()
  for (const path of paths) {
    const usual = usualName.exec(path)?.[1]
    if (usual !== undefined && !fewest.has(usual)) fewest.set(usual, fewestByName)
    const marked = marks.find((mark) => mark.test(path))?.exec(path)?.[1]
    if (marked !== undefined) fewest.set(marked, fewestWithMark)
  }
  if (fewest.size === 0) return []
  const counts = new Map<string, number>()
  for (const path of paths)
    for (const directory of above(path))
      if (fewest.has(directory)) counts.set(directory, (counts.get(directory) ?? 0) + 1)
  const found = new Map([...counts].filter(([directory, files]) => files > (fewest.get(directory) ?? 0)))
  // A directory stands for those below it.
  return [...found]
    .filter(([directory]) => !above(directory).some((other) => found.has(other)))
    .map(([directory, files]) => ({ directory, files }))
}

/** Lists the directories above a path. */
function above(path: string): string[] {
  const directories: string[] = []
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
    directories.push(path.slice(0, slash))
  return directories
}

const marks = [
  /^(.+)\/pyvenv\.cfg$/,
  /^((?:.+\/)?node_modules)\/\.(?:package-lock\.json|modules\.yaml|yarn-integrity|yarn-state\.yml)$/,
  /^(.+)\/CACHEDIR\.TAG$/,
]

const usualName = /^((?:.+?\/)??(?:node_modules|\.venv|venv|site-packages|\.tox|\.nox))\//
