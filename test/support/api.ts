import { onTestFinished } from 'vitest'
import { plainDefaults } from './work.ts'

import type { NotifierSettings } from '../../src/adapters/notify/contract.ts'
import type { Runtime } from '../../src/adapters/runtime/port.ts'
import { createScriptedRuntime } from '../../src/adapters/runtime/scripted/runtime.ts'
import { type Agency, composeAgency, routesOf } from '../../src/compose.ts'
import { createDemos } from '../../src/daemon/demos/service.ts'
import { createDaemonService } from '../../src/daemon/service.ts'
import type { Db } from '../../src/db/port.ts'
import { createMemoryFiles } from '../../src/engine/attempt/memory-files.ts'
import { laterThrough, wakeChecks, wakeDecisions, wakeGates, wakeQuestions } from '../../src/engine/loop/wakes.ts'
import { registerWorker } from '../../src/engine/workers-store.ts'
import { createFeed } from '../../src/events/feed.ts'
import { createJobs, type Jobs } from '../../src/jobs/queue.ts'
import { createJobService } from '../../src/jobs/service.ts'
import { createSessions } from '../../src/sessions/service.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { systemIds } from '../../src/kernel/ids.ts'
import { noLog } from '../../src/kernel/log.ts'
import { noChaos } from '../../src/kernel/chaos-point.ts'
import { createNotifiers } from '../../src/notify/compose.ts'
import { createNotify, type Notify } from '../../src/notify/service.ts'
import type { Route } from '../../src/operations/bind.ts'
import { composeOrganisation, type Org } from '../../src/org/compose.ts'
import { writeInitialFiles } from '../../src/org/initial-files.ts'
import { seedOrganisation } from '../../src/org/seed.ts'
import type { Playbook } from '../../src/playbooks/contract.ts'
import { openTalent, type Talent } from '../../src/talent/service.ts'
import { createDirectoryWorkspaces } from '../../src/workspaces/directory.ts'
import { createMemoryWorkspaces } from '../../src/workspaces/memory.ts'
import type { Repositories } from '../../src/repositories/port.ts'
import type { WorkspaceRequest, Workspaces } from '../../src/workspaces/port.ts'
import { agentWork } from '../../src/work/agent-work.ts'
import { freshFolder } from './store.ts'
import { testWorker } from './worker.ts'
import { talentFolders } from './talent.ts'

export interface StartOptions {
  slots?: number
  /** Notifiers through which people are notified. */
  notifiers?: readonly NotifierSettings[]
  repositories?: Repositories
  /** Runtimes beside the scripted one. */
  runtimes?: readonly Runtime[]
  /** Playbooks that replace those of the product under the same name. */
  playbooks?: readonly Playbook[]
}

/** Starts the real services and the engine on a store in this process, with agents in this process. */
export async function startAgency(
  db: Db,
  {
    slots = 4,
    notifiers = [{ adapter: 'terminal', timeoutSeconds: 10 }],
    repositories,
    playbooks,
    runtimes = [],
  }: StartOptions = {},
): Promise<{ agency: Agency; jobs: Jobs; org: Org; notify: Notify; talent: Talent; routes: Route[] }> {
  await seedOrganisation(db)
  const clock = systemClock
  const talent = await openTalent({ folders: talentFolders(freshFolder()), log: noLog })
  const org = composeOrganisation({
    db,
    clock,
    log: noLog,
    work: agentWork,
    data: freshFolder(),
    poolText: talent.textOf,
  })
  await writeInitialFiles(db, org.files)
  const worker = await db.write([], (tx) => registerWorker(tx, { ...testWorker, id: 'wrk_test', pid: process.pid }))
  const jobs = createJobs({ db, clock, ids: systemIds, worker, chaosPoint: noChaos })
  const notify = createNotify({
    db,
    clock,
    ids: systemIds,
    log: noLog,
    jobs,
    notifiers: createNotifiers(notifiers, { environment: {}, write: () => {} }),
    address: () => 'http://127.0.0.1:1',
  })
  const root = freshFolder()
  const agency = composeAgency({
    db,
    clock,
    ids: systemIds,
    log: noLog,
    chaosPoint: noChaos,
    runtimes: [createScriptedRuntime({ host: 'in-process' }), ...runtimes],
    workspaces: missionWorkspacesOnDisk(root),
    ...(repositories === undefined ? {} : { repositories }),
    ...(playbooks === undefined ? {} : { playbooks }),
    missionWorkspaces: { root, attempts: freshFolder(), reviewPrompt: () => 'Look. {{focus}}', host: 'test' },
    files: createMemoryFiles(),
    promptOf: () => '{{objective}}',
    environmentOf: () => ({}),
    killSurvivors: async () => 0,
    notify: notify.send,
    later: laterThrough(jobs),
    worker,
    slots,
    defaults: { ...plainDefaults, runtime: 'scripted', idleMinutes: null, hardMinutes: null },
  })
  wakeGates(jobs, agency.gates)
  wakeDecisions(jobs, agency.decisions)
  wakeQuestions(jobs, agency.questions)
  wakeChecks(jobs, agency.repositorySettings)
  const demos = createDemos({
    db,
    clock,
    log: noLog,
    jobs,
    makeRepository: () => Promise.reject(new Error('there is no git here')),
    runs: agency.runs,
    gates: agency.gates,
  })
  await agency.engine.start()
  await jobs.start()
  onTestFinished(() => jobs.stop())
  onTestFinished(() => agency.engine.stop())
  const daemon = createDaemonService({
    db,
    clock,
    engine: agency.engine,
    runs: agency.runs,
    slots,
    about: () => ({
      pid: process.pid,
      version: '0',
      home: '/nowhere',
      command: 'agency',
      store: { kind: db.kind, place: 'test' },
      address: 'http://127.0.0.1:1',
      dashboard: 'http://agency-x.localhost:1',
      lostPort: null,
      socket: '/nowhere/agency.sock',
      startedAt: clock.at(),
      box: 'none',
      undoSeconds: 0,
    }),
    createLink: (path) => ({
      url: `http://agency-x.localhost:1/enter?code=x&to=${path}`,
      numericUrl: `http://127.0.0.1:1/enter?code=x&to=${path}`,
      expiresAt: clock.at(),
      file: null,
    }),
    stop: () => {},
  })
  const edges = {
    db,
    clock,
    feed: createFeed({ db }),
    daemon,
    org,
    notify,
    talent,
    demos,
    jobs: createJobService({ db, jobs }),
    sessions: createSessions({ db, clock, operatorToken: 'opr_test' }),
  }
  return { agency, jobs, org, notify, talent, routes: routesOf(agency, edges) }
}

/** Keeps the workspaces of briefs in memory, and those of missions on the disk, where tests inspect them. */
function missionWorkspacesOnDisk(root: string): Workspaces {
  const memory = createMemoryWorkspaces()
  const onDisk = createDirectoryWorkspaces({ root })
  const of = (request: WorkspaceRequest): Workspaces => ((request.directory ?? null) === null ? memory : onDisk)
  return {
    prepare: (request) => of(request).prepare(request),
    open: (request) => of(request).open(request),
    lay: (request, files) => of(request).lay(request, files),
    changedInCopy: (request) => of(request).changedInCopy(request),
    checkout: (request) =>
      (request.source.kind === 'workspace' ? of(request.source.workspace) : memory).checkout(request),
    source: (runId, from, path) => (from.directory === null ? memory : onDisk).source(runId, from, path),
    removeCheckouts: async (keep) => {
      for (const workspaces of [memory, onDisk]) await workspaces.removeCheckouts(keep)
    },
    remove: (request, before) => of(request).remove(request, before),
  }
}
