import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { homePaths } from '../src/daemon/home.ts'
import { startDaemon } from '../src/daemon/start.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { systemIds } from '../src/kernel/ids.ts'
import { noLog } from '../src/kernel/log.ts'
import { createCredentials } from '../src/server/credentials.ts'
import { createServer } from '../src/server/server.ts'
import { createSessions } from '../src/sessions/service.ts'
import { type Mission, missionOperations } from '../src/work/missions/contract.ts'

/** Counters that the process prints when it is ready, and again for every line on its standard input. */
export interface Counts {
  address: string
  /** Address of the same server with a handler that answers without writing. */
  ceiling: string | null
  /** Transactions, or groups of them, that wrote events and were committed. */
  commits: number
  statements: number
  rssBytes: number
}

/** The product's daemon with counters for a benchmark; `--ceiling <socket>` adds a server that never commits. */
const { values: flags } = parseArgs({ options: { ceiling: { type: 'string' } } })
const daemon = await startDaemon({ env: process.env, flags: { port: '0' } })
let commits = 0
daemon.db.onCommit(() => void commits++)
const ceiling = flags.ceiling === undefined ? null : await serveCeiling(flags.ceiling)

const printCounts = (): void => {
  const { address } = daemon
  const rssBytes = process.memoryUsage.rss()
  const counts: Counts = { address, ceiling, commits, statements: daemon.db.statements(), rssBytes }
  console.log(JSON.stringify(counts))
}
process.stdin.on('data', printCounts)
process.stdin.on('end', () => void daemon.stop())
printCounts()
await daemon.stopped
process.exit(0)

/** Serves the same routes with the same checks and the same answer; only the handler differs. */
async function serveCeiling(socket: string): Promise<string> {
  const paths = homePaths(process.env)
  const operatorToken = readFileSync(paths.operatorToken, 'utf8').trim()
  const credentials = createCredentials({
    operatorToken,
    chainKey: readFileSync(paths.chainKey),
    clock: systemClock,
    findAttempt: async () => undefined,
  })
  const server = createServer({
    routes: [{ operation: missionOperations.create, handle: async (_, input: never) => missionOf(input) }],
    credentials,
    sessions: createSessions({ db: daemon.db, clock: systemClock, operatorToken }),
    once: daemon.db.once,
    clock: systemClock,
    log: noLog,
    webRoot: null,
    version: '0',
  })
  return (await server.listen({ socket, port: 0 })).address
}

function missionOf(input: Partial<Mission>): Mission {
  const at = systemClock.at()
  return {
    id: systemIds.next('mission'),
    organisationId: 1,
    projectId: null,
    title: '',
    description: '',
    status: 'backlog',
    pausedFrom: null,
    priority: 'medium',
    playbook: 'direct',
    acceptance: '',
    assignee: null,
    parentMission: null,
    tags: [],
    contextNotes: '',
    tokenBudget: null,
    costLimit: null,
    deadline: null,
    deliverables: [],
    outcomeSummary: null,
    lessonsLearned: null,
    workspacePath: null,
    passed: [{ status: 'backlog', at }],
    createdAt: at,
    updatedAt: at,
    ...input,
  }
}
