import { posix } from 'node:path'

import { partedFile } from './parts.ts'

/** The scripts that an installation runs by itself. */
const lifecycle = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']

/**
 * Returns the words that may be files of the setup of a checkout: of its command, and of the scripts that an installation
 * runs by itself. Code that a setup runs can prepare everything that is checked after it.
 */
export async function filesOfSetup(
  setup: string | null,
  read: (path: string) => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const manifest = await read('package.json')
  const parts = manifest === null ? [] : [...(partedFile('package.json')?.partsOf(manifest) ?? [])]
  const scripts = new Map(
    parts.flatMap(([name, command]) => (name.startsWith('scripts.') ? [[name.slice('scripts.'.length), command]] : [])),
  )
  const texts = new Set([setup ?? '', ...lifecycle.flatMap((name) => scripts.get(name) ?? [])])
  const files = new Set<string>()
  // A script may run others, which are added to the set while it is read.
  for (const text of texts)
    for (const word of text.split(/[\s;&|()<>"'`=$]+/)) {
      const script = scripts.get(word)
      if (script !== undefined) texts.add(script)
      if (word !== '' && !word.startsWith('-')) files.add(posix.normalize(word))
    }
  return files
}
