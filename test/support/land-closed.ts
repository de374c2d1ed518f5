import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { systemClock } from '../../src/kernel/clock.ts'
import { closeNewFiles } from '../../src/processes/umask.ts'
import { createGit } from '../../src/repositories/git.ts'
import type { Landing } from '../../src/repositories/land.ts'
import { createMirrors } from '../../src/repositories/mirrors.ts'
import { createSeenLog } from './server.ts'

/** Lands as a daemon does, whose own files are closed, and writes one such file: `<folder> <landing as JSON>`. */
const [folder = '', landing = ''] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
closeNewFiles()
const git = createGit({ clock: systemClock })
const mirrors = createMirrors({ root: join(folder, 'mirrors'), git, log: createSeenLog([]) })
const { outcome } = await mirrors.land(JSON.parse(landing) as Landing)
writeFileSync(join(folder, 'own'), '')
console.log(outcome)
