import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the licences of all bundled packages: they require that a copy of the bundle includes them. */
export function licencesOf(moduleIds: readonly string[]): string {
  const folders = new Set(moduleIds.flatMap((id) => packageFolder(id) ?? []))
  const notices = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package
    const file = globSync(join(folder, '{LICENSE,LICENCE,license,licence}*'))[0]
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : 'No licence file is part of the package.'}\n`
  })
  return `Agency contains the following packages.\n\n${notices.sort().join('\n---\n\n')}`
}

interface Package {
  name: string
  version: string
  license: string
}

const packageFolder = (id: string): string[] | null => {
  const found = /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(id)
  return found && [found[0].replace(/^\0/, '')]
}
