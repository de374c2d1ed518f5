import { openStore, type StoreLocation } from '../../src/db/open.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { noLog } from '../../src/kernel/log.ts'
import { composeOrganisation } from '../../src/org/compose.ts'
import { agentWork } from '../../src/work/agent-work.ts'
import { shop } from './shop.ts'
import { operator } from './work.ts'

/** Imports a document, but kills itself at the named step. */
const [step, place, root] = process.argv.slice(2) as [string, string, string]
const die = (): void => void process.kill(process.pid, 'SIGKILL')

const db = await openStore(JSON.parse(place) as StoreLocation, {
  clock: systemClock,
  chainKey: new Uint8Array(32).fill(7),
})
let writes = 0
const { documents, files } = composeOrganisation({
  clock: systemClock,
  log: noLog,
  work: agentWork,
  data: root,
  db: {
    ...db,
    async write(streams, work) {
      const nth = ++writes
      if (nth === 1 && step === 'staged') die()
      // The second write marks the files as moved.
      if (nth === 2 && step === 'moved') die()
      const result = await db.write(streams, async (tx) => {
        const done = await work(tx)
        if (step === 'written') die()
        return done
      })
      if (step === 'committed') die()
      return result
    },
  },
})
await files.recover()
await documents.import(operator, shop, { preview: false, force: false, withIntent: false })
