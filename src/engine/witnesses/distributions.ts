import { readToml } from './toml.ts'

/** Returns the modules of Python packages that the manifests of a commit ask for, as far as their names tell. */
export async function requiredModules(
  paths: readonly string[],
  read: (path: string) => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const modules = new Set<string>()
  for (const path of paths.filter((each) => manifest.test(each)).slice(0, mostManifests)) {
    const text = (await read(path)) ?? ''
    for (const name of path.endsWith('.toml') ? namesInProject(text) : namesInLines(text.split('\n'))) {
      const module = name.toLowerCase().replace(/[-.]+/g, '_')
      modules.add(modulesOf[module] ?? module)
    }
  }
  modules.delete('python')
  return modules
}

const manifest = /(?:^|\/)(?:requirements[^/]*\.txt|pyproject\.toml)$/
const mostManifests = 20

const namesInLines = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /^\s*([A-Za-z][\w.-]*)/.exec(line)?.[1] ?? [])

const namesInProject = (text: string): string[] =>
  (readToml(text) ?? []).flatMap(({ values }) =>
    values.flatMap(({ path, items }) => {
      const at = path.findIndex((key) => key.endsWith('dependencies') || key === 'dependency-groups')
      const key = path[at + 1]
      if (at < 0) return []
      return path[1] === 'poetry' && key !== undefined && key !== '' ? [key] : namesInLines(items)
    }),
  )

/** Packages whose module has another name. */
const modulesOf: Readonly<Record<string, string>> = {
  beautifulsoup4: 'bs4',
  opencv_python: 'cv2',
  pillow: 'PIL',
  python_dateutil: 'dateutil',
  pyyaml: 'yaml',
  scikit_learn: 'sklearn',
}
