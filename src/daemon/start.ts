import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { NotifierSettings } from '../adapters/notify/contract.ts'
import type { ConfiguredNotifier } from '../adapters/notify/port.ts'
import { createPrices } from '../adapters/prices/genai/prices.ts'
import { findSurvivors, killSurvivors } from '../processes/survivors.ts'
import { type Agency, composeAgency, routesOf } from '../compose.ts'
import type { Configuration } from '../config/contract.ts'
import { loadConfiguration } from '../config/load.ts'
import { openStore, type StoreLocation } from '../db/open.ts'
import { ownHome } from '../db/owner.ts'
import type { Db, ReadTx } from '../db/port.ts'
import { createHeartbeat } from '../engine/loop/heartbeat.ts'
import { laterThrough, wakeChecks, wakeGates, wakeRuns } from '../engine/loop/wakes.ts'
import { playbooksRoot, promptPath, talentRoot, version, versionWithBuild, webRoot } from '../entries.ts'
import { createFeed, type Feed } from '../events/feed.ts'
import { createJobs, type Jobs } from '../jobs/queue.ts'
import { createJobService } from '../jobs/service.ts'
import { systemClock } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import { randomToken, systemIds } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { noChaos, type ChaosPoint } from '../kernel/chaos-point.ts'
import { createNotifiers } from '../notify/compose.ts'
import { createNotify } from '../notify/service.ts'
import { composeOrganisation } from '../org/compose.ts'
import type { Contents } from '../org/contents.ts'
import type { Files } from '../org/files.ts'
import { writeInitialFiles } from '../org/initial-files.ts'
import { hasFiles } from '../org/personas/kinds.ts'
import { findPersona, type Persona } from '../org/personas/store.ts'
import { loadReference } from '../org/reference/load.ts'
import { seedOrganisation } from '../org/seed.ts'
import { createFileProjections } from '../projections/files.ts'
import { engineAuthor } from '../repositories/author.ts'
import { snapshot, snapshotRef } from '../repositories/collect.ts'
import { createGit } from '../repositories/git.ts'
import { createMirrors } from '../repositories/mirrors.ts'
import { createRepositories } from '../repositories/repositories.ts'
import { createAttemptToken, createCredentials } from '../server/credentials.ts'
import { createServer, type Listening } from '../server/server.ts'
import { openTalent } from '../talent/service.ts'
import { agentWork } from '../work/agent-work.ts'
import { findStanding } from '../work/attempts/store.ts'
import { gateFile } from '../work/gates/projection.ts'
import { createDirectoryWorkspaces } from '../workspaces/directory.ts'
import { defaultPolicy } from '../workspaces/policy.ts'
import { createAttemptFiles } from './attempt-files.ts'
import { prepareBox } from './box.ts'
import { hostChecksOf } from './host-checks.ts'
import { type HomePaths, homePaths, prepareHome, readOrCreateSecret } from './home.ts'
import { scheduleHousekeeping } from './housekeeping.ts'
import { createLog } from './log.ts'
import { makeDemoRepository } from './demos/repository.ts'
import { createDemos, type Demos } from './demos/service.ts'
import { promptOf } from './prompts.ts'
import { identityOf, refuseForeign, registerDaemon, retireDaemon } from './registration.ts'
import { createRuntimes } from './runtimes.ts'
import { createDaemonService } from './service.ts'
import { forgetTeamTalent, prepareTeamTalent } from './team-talent.ts'
import { readTeamFile } from './team-file.ts'

export interface DaemonOptions {
  env: Readonly<Record<string, string | undefined>>
  flags?: { port?: string | undefined }
  /**
   * Initial content of a home: one organisation, none, or one with the seats of the demonstration. It is decided at the
   * first start; later only the demonstration's seats may still be added, to an organisation that was never changed.
   */
  begin?: 'seeded' | 'empty' | 'reference'
  /** Prints a line in the daemon's terminal; without it, such lines go to the log. */
  print?: (line: string) => void
  /** The folder of the built dashboard; null: none. */
  web?: string | null
  /** For chaos tests only. */
  chaosPoint?: ChaosPoint
}

export interface Daemon {
  readonly address: string
  readonly agency: Agency
  readonly demos: Demos
  readonly db: Db
  readonly feed: Feed
  readonly jobs: Jobs
  createLink(path: string): { url: string; expiresAt: string }
  /** Interrupts agents, completes open requests and releases every resource. */
  stop(): Promise<void>
  /** Resolves when the daemon has stopped: to the reason if it had to, to null if it was asked to. */
  readonly stopped: Promise<string | null>
  readonly log: Log
}

/** Starts an installation, from its home directory to its listening sockets. */
export async function startDaemon({
  env,
  flags = {},
  begin = 'seeded',
  print,
  web = webRoot(),
  chaosPoint = noChaos,
}: DaemonOptions): Promise<Daemon> {
  const paths = homePaths(env)
  prepareHome(paths)
  const { values } = loadConfiguration({ flags, env, home: paths })
  const owner = ownHome(paths.home)
  const undo: (() => Promise<void> | void)[] = [() => owner.release()]
  try {
    return await open(paths, values, { env, chaosPoint, begin, print, web }, undo)
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

async function open(
  paths: HomePaths,
  values: Configuration,
  { env, chaosPoint, begin, print, web }: DaemonOptions & Required<Pick<DaemonOptions, 'chaosPoint' | 'begin' | 'web'>>,
  undo: (() => Promise<void> | void)[],
): Promise<Daemon> {
  const clock = systemClock
  const startedAt = clock.at()
  const log = createLog({ path: join(paths.logs, 'daemon.log'), level: values.logLevel, clock })
  undo.push(() => log.close())
  const chainKey = readOrCreateSecret(paths.chainKey, () => randomBytes(32))
  const operatorToken = readOrCreateSecret(paths.operatorToken, () => `opr_${randomToken()}`)
    .toString('utf8')
    .trim()
  const location = storeLocation(paths, values)
  const identity = identityOf(paths, chainKey)
  const beforeMigration = async (tx: ReadTx): Promise<void> => void (await refuseForeign(tx, identity))
  const db = await openStore(location, { clock, chainKey, beforeMigration })
  undo.push(() => db.close())
  // Before anything is written: a store that another daemon uses stays as it is.
  const worker = await registerDaemon(db, identity, log)
  undo.push(() => retireDaemon(db, worker, log))
  const isFirst = await seedOrganisation(db, { isEmpty: begin === 'empty' })
  if (begin === 'empty' && !isFirst) log.warn('this home was started before, so its content stays as it is')
  // The trial of the box is a process to wait for; meanwhile the talent is read.
  const [boxing, talent] = await Promise.all([
    prepareBox(paths, values, { env, clock, log }),
    openTalent({
      folders: {
        bundled: talentRoot(),
        home: join(paths.home, 'talent'),
        playbooks: playbooksRoot(),
        prompts: join(paths.home, 'prompts'),
      },
      log,
    }),
  ])
  const org = composeOrganisation({
    db,
    clock,
    log,
    work: agentWork,
    data: paths.data,
    poolText: (persona) => talent.textOf(persona),
  })
  await prepareFiles(db, org.files, log)
  if (begin === 'reference') await loadReference({ db, clock, log, importer: org.importer })

  const jobs = createJobs({ db, clock, ids: systemIds, worker, chaosPoint, log })
  const makeNotifiers = (entries: readonly NotifierSettings[]): ConfiguredNotifier[] =>
    createNotifiers(entries, { environment: env, write: print ?? ((line) => log.info(line)) })
  const notify = createNotify({
    db,
    clock,
    ids: systemIds,
    log,
    jobs,
    notifiers: makeNotifiers(values.notify),
    make: makeNotifiers,
    address: () => listening?.address ?? '',
  })
  const projections = createFileProjections({ db, jobs, log }, [
    gateFile(join(paths.home, 'workspace', 'pending_gates.json')),
  ])
  const git = createGit({ clock })
  const mirrors = createMirrors({ root: join(paths.home, 'mirrors'), git, log })
  const workspaces = createDirectoryWorkspaces({
    root: paths.workspaces,
    box: boxing.box,
    materialise: (clone, path, options) => mirrors.clone({ ...clone, author: engineAuthor }, path, options),
    setup: { ...values.setup, treeOf: mirrors.tree, log },
  })
  const agency = composeAgency({
    db,
    clock,
    ids: systemIds,
    log,
    chaosPoint,
    runtimes: createRuntimes(values, env),
    prices: createPrices(),
    workspaces,
    repositories: createRepositories({ git, mirrors }),
    hostChecks: hostChecksOf(values),
    personaText: (personaId, { configuration }) =>
      personaText(db, org.contents, personaId, (persona) => talent.textOf(persona, configuration.team?.talent)),
    policyOf: (_run, { runtime }) => defaultPolicy(runtime, values),
    missionWorkspaces: {
      root: paths.workspaces,
      attempts: paths.attempts,
      reviewPrompt: () => readFileSync(promptPath('direct', 'review'), 'utf8'),
      snapshot: async (clone) => {
        const message = 'Snapshot of a workspace when it was removed'
        const commit = await snapshot(git, { ...clone, message, author: engineAuthor })
        return commit === null ? null : snapshotRef(clone.ref)
      },
      host: 'daemon',
    },
    files: createAttemptFiles(paths.attempts),
    promptOf: (playbook, kind, phase) => promptOf(paths.home, playbook, kind, phase),
    environmentOf: (attemptId, fence) => ({
      AGENCY_HOME: paths.home,
      AGENCY_SOCKET: paths.socket,
      AGENCY_TOKEN: createAttemptToken(chainKey, attemptId, fence),
    }),
    alsoSweep: async () => {
      await jobs.sweep()
      await forgetTeamTalent(db, talent, log)
    },
    notify: async (tx, note) => {
      if (note.kind !== 'gate_pending' || !demos.approves(note)) await notify.send(tx, note)
    },
    later: laterThrough(jobs),
    talent,
    ourPorts: () => (listening === null ? [] : [Number(new URL(listening.address).port)]),
    killSurvivors: (attemptIds) => killSurvivors(attemptIds, { say: (text) => log.warn(text) }),
    listSurvivors: async () => (await findSurvivors()).map(({ launchId }) => launchId),
    worker,
    slots: values.slots,
    homeTeam: () => readTeamFile(paths.team),
    defaults: {
      runtime: values.defaultRuntime,
      idleMinutes: values.idleMinutes,
      hardMinutes: values.hardMinutes,
      crashRetries: values.crashRetries,
      retryBudget: values.retryBudget,
      verify: values.verify,
      verificationLimit: values.verificationLimit,
      acceptance: values.acceptance,
      onLimit: values.onLimit,
      gateTimeoutMinutes: values.gateTimeoutMinutes,
    },
  })
  wakeGates(jobs, agency.gates)
  wakeRuns(jobs, agency.engine)
  wakeChecks(jobs, agency.repositorySettings)
  const demos = createDemos({
    db,
    clock,
    log,
    jobs,
    makeRepository: (name) => makeDemoRepository(git, join(paths.home, 'demos', name)),
    runs: agency.runs,
    gates: agency.gates,
  })
  const feed = createFeed({ db })
  const heartbeat = createHeartbeat({
    db,
    worker,
    clock,
    log,
    engine: agency.engine,
    superseded: () => {
      log.error(supersededMessage, { worker })
      void stop(supersededMessage)
    },
  })
  const credentials = createCredentials({
    operatorToken,
    chainKey,
    clock,
    findAttempt: (attemptId) => db.read((tx) => findStanding(tx, attemptId)),
  })

  let listening: Listening | null = null
  const { promise: stopped, resolve: setStopped } = Promise.withResolvers<string | null>()
  let stopping: Promise<void> | null = null
  const stop = (reason: string | null = null): Promise<void> => (stopping ??= shutDown(reason))
  const createLink = (path: string): { url: string; expiresAt: string } => {
    const { code, expiresAt } = credentials.createLink(path)
    return { url: `${listening?.address ?? ''}/enter?code=${code}`, expiresAt }
  }
  const about = () => ({
    pid: process.pid,
    version,
    home: paths.home,
    store: {
      kind: location.kind,
      place: location.kind === 'sqlite' ? location.path : withoutCredentials(location.url),
    },
    address: listening?.address ?? '',
    socket: paths.socket,
    startedAt,
    box: boxing.about,
  })
  const service = createDaemonService({
    db,
    clock,
    about,
    engine: agency.engine,
    runs: agency.runs,
    slots: values.slots,
    createLink,
    stop: () => void stop(),
  })
  const server = createServer({
    routes: routesOf(agency, {
      db,
      clock,
      feed,
      daemon: service,
      org,
      notify,
      jobs: createJobService({ db, jobs }),
      talent,
      demos,
    }),
    credentials,
    once: db.once,
    clock,
    log,
    webRoot: web,
    version: versionWithBuild,
    maxBodyBytes: values.bodyLimitMb * 1_000_000,
  })

  async function shutDown(reason: string | null): Promise<void> {
    log.info('stopping')
    rmSync(paths.daemonFile, { force: true })
    await agency.engine.stop()
    await jobs.stop()
    await server.stop()
    for (const step of undo.reverse()) await step()
    setStopped(reason)
  }

  listening = await server.listen({ socket: paths.socket, port: values.port ?? undefined })
  undo.push(() => (stopping === null ? server.stop() : undefined))
  await prepareTeamTalent(db, talent, log)
  // An embedded store has one owner, whose death the next start proves; only a shared store needs a heartbeat.
  if (db.isShared) heartbeat.start()
  undo.push(() => heartbeat.stop())
  await agency.engine.start()
  await scheduleHousekeeping({ db, jobs, clock, workspaces: paths.workspaces, maxDiskMb: values.setup.maxDiskMb, log })
  await projections.refresh()
  await jobs.start()
  writeDaemonFile(paths, {
    pid: process.pid,
    version,
    address: listening.address,
    socket: paths.socket,
    started_at: startedAt,
  })
  log.info('ready', { pid: process.pid, version, address: listening.address, store: location.kind })
  return { address: listening.address, agency, demos, db, feed, jobs, log, createLink, stop: () => stop(), stopped }
}

const supersededMessage =
  'another daemon has registered under the id of this one, so this home was copied or restored elsewhere; this daemon stops'

/** Returns the personality text in the prompts of a persona's agents; empty for the system and for people. */
async function personaText(
  db: Db,
  contents: Contents,
  personaId: number,
  poolText: (persona: Persona) => Promise<string>,
): Promise<string> {
  const persona = await db.read((tx) => findPersona(tx, personaId))
  return persona === undefined || !hasFiles(persona) ? '' : contents.readSkill(persona, poolText)
}

/**
 * Prepares the data directory. If it is not writable the daemon still starts: it can be read, and every change is
 * refused with the reason.
 */
async function prepareFiles(db: Db, files: Files, log: Log): Promise<void> {
  try {
    await files.recover()
    await writeInitialFiles(db, files)
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    log.warn(error.message, { hint: error.hint })
  }
}

const storeLocation = (paths: HomePaths, values: Configuration): StoreLocation =>
  values.databaseUrl === null ? { kind: 'sqlite', path: paths.store } : { kind: 'postgres', url: values.databaseUrl }

function withoutCredentials(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** Writes the file atomically: a half-written one would point the CLI at a daemon that does not exist. */
function writeDaemonFile(paths: HomePaths, content: Record<string, unknown>): void {
  const draft = `${paths.daemonFile}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, paths.daemonFile)
}
