import { openStore, type StoreLocation } from '../../src/db/open.ts'
import { appendEvent } from '../../src/events/append.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { noLog } from '../../src/kernel/log.ts'
import { createFiles } from '../../src/org/files.ts'

/** Stages two files, commits a row with them and moves them into place, but kills itself at the named step. */
const [step, place, root] = process.argv.slice(2) as [string, string, string]
const die = (): void => void process.kill(process.pid, 'SIGKILL')

const db = await openStore(JSON.parse(place) as StoreLocation, {
  clock: systemClock,
  chainKey: new Uint8Array(32).fill(7),
})
let writes = 0
const files = createFiles({
  root,
  log: noLog,
  db: {
    ...db,
    write: (streams, work) => {
      // The first write of the files themselves marks them as moved.
      if (++writes === 1 && step === 'moved') die()
      return db.write(streams, work)
    },
  },
})
const staged = await files.stage({ 'a/skill.md': 'Skill A', 'b/skill.md': 'Skill B' })
if (step === 'staged') die()
await db.write(['system'], async (tx) => {
  await staged.put(tx, [
    { from: 'a', to: 'personas/a-1' },
    { from: 'b', to: 'personas/b-2' },
  ])
  await appendEvent(tx, 'system', { kind: 'org_changed', by: 'operator', message: 'two files' })
  if (step === 'put') die()
})
if (step === 'committed') die()
await staged.finish()
