import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Db } from '../db/port.ts'
import { developmentOrganisation } from '../kernel/ids.ts'
import type { Files } from './files.ts'
import { findOrganisation } from './organisations/store.ts'
import { organisationPath } from './paths.ts'
import type { Content, Put } from './stage.ts'
import { behaviourGuide, intentText } from './templates.ts'

/**
 * Writes the files that every data directory starts with. Runs at every start, writes missing files, and never changes
 * an edited one.
 */
export async function writeInitialFiles(db: Db, files: Files): Promise<void> {
  const content: Record<string, Content[string]> = {}
  const puts: Put[] = []
  const add = (from: string, to: string, name: string, text: string): void => {
    if (existsSync(join(files.root, to))) return
    content[name] = text
    puts.push({ from, to, keep: true })
  }
  add('guide.md', 'templates/org-behaviour-guide.md', 'guide.md', behaviourGuide())
  const first = await db.read((tx) => findOrganisation(tx, developmentOrganisation))
  if (first !== undefined) add('o', organisationPath(first.slug), 'o/intent.md', intentText(first.name))
  if (puts.length > 0) await files.write([], content, (_, put) => put(puts))
}
