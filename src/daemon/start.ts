import { join } from 'node:path'

import { type Agency, routesOf } from '../compose.ts'
import type { Configuration } from '../config/contract.ts'
import { loadConfiguration } from '../config/load.ts'
import { ownHome } from '../db/owner.ts'
import type { Db } from '../db/port.ts'
import { createHeartbeat } from '../engine/loop/heartbeat.ts'
import { entryPath, playbooksRoot, talentRoot, version, versionWithBuild, webRoot } from '../entries.ts'
import { createFeed, type Feed } from '../events/feed.ts'
import { createJobs, type Jobs } from '../jobs/queue.ts'
import { createJobService } from '../jobs/service.ts'
import { type ChaosPoint, noChaos } from '../kernel/chaos-point.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { randomToken, systemIds } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { shellWord } from '../kernel/shell-words.ts'
import { createNotifiers } from '../notify/compose.ts'
import { createNotify } from '../notify/service.ts'
import { composeOrganisation, type Org } from '../org/compose.ts'
import type { Persona } from '../org/personas/store.ts'
import { loadReference } from '../org/reference/load.ts'
import { seedOrganisation } from '../org/seed.ts'
import { createFileProjections } from '../projections/files.ts'
import { createGit } from '../repositories/git.ts'
import { createCredentials } from '../server/credentials.ts'
import { createServer, type Server } from '../server/server.ts'
import { createSessions } from '../sessions/service.ts'
import { openTalent, type Talent } from '../talent/service.ts'
import { agentWork } from '../work/agent-work.ts'
import { findStanding } from '../work/attempts/store.ts'
import { gateFile } from '../work/gates/projection.ts'
import { composeHomeAgency } from './agency.ts'
import { prepareBox } from './box.ts'
import { removeDaemonFile, writeDaemonFile } from './daemon-file.ts'
import { makeDemoRepository } from './demos/repository.ts'
import { createDemos, type Demos } from './demos/service.ts'
import { type HomePaths, homePaths, prepareHome, readOrCreateSecret } from './home.ts'
import { scheduleHousekeeping } from './housekeeping.ts'
import { aboutStore, type Installation, openInstallation, type Undo } from './installation.ts'
import { prepareFiles } from './organisation.ts'
import { createDaemonService } from './service.ts'
import { createSignInLinks } from './sign-in-links.ts'
import { prepareTeamTalent } from './team-talent.ts'
import { type Listened, listenOnUsualPort, lostPortText } from './usual-ports.ts'

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
  /** The folder in which it was started, whose repository is offered for work; null: unknown. */
  startedIn?: string | null
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
  startedIn = null,
  chaosPoint = noChaos,
}: DaemonOptions): Promise<Daemon> {
  const paths = homePaths(env)
  prepareHome(paths)
  const { values } = loadConfiguration({ flags, env, home: paths })
  const owner = ownHome(paths.home)
  const undo: Undo = [() => owner.release()]
  try {
    return await open(paths, values, { env, chaosPoint, begin, print, web, startedIn }, undo)
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

async function open(
  paths: HomePaths,
  values: Configuration,
  {
    env,
    chaosPoint,
    begin,
    print,
    web,
    startedIn,
  }: DaemonOptions & Required<Pick<DaemonOptions, 'chaosPoint' | 'begin' | 'web' | 'startedIn'>>,
  undo: Undo,
): Promise<Daemon> {
  const clock = systemClock
  const startedAt = clock.at()
  const installation = await openInstallation(paths, values, clock, undo)
  const { log, db, worker, location } = installation
  let server: Server | null = null
  let listening: Listened | null = null
  const ownName = `${readOrCreateSecret(paths.hostName, () => `agency-${randomToken().slice(0, 16)}`)
    .toString('utf8')
    .trim()}.localhost`
  const dashboardAddress = (): string => (listening === null ? '' : `http://${ownName}:${listening.port}`)
  // The trial of the box is a process to wait for; meanwhile the rest is read and composed.
  const [boxing, { talent, org }] = await Promise.all([
    prepareBox(paths, values, { env, clock, log, connect: (token) => (server as Server).openBox(token) }),
    openContent(paths, installation, clock, begin),
  ])

  const jobs = createJobs({ db, clock, ids: systemIds, worker, chaosPoint, log })
  const notify = createNotify({
    db,
    clock,
    ids: systemIds,
    log,
    jobs,
    notifiers: createNotifiers(values.notify, { environment: env, write: print ?? ((line) => log.info(line)) }),
    address: () => dashboardAddress(),
  })
  const projections = createFileProjections({ db, jobs, log }, [
    gateFile(join(paths.home, 'workspace', 'pending_gates.json')),
  ])
  const git = createGit({ clock })
  const agency = composeHomeAgency({
    paths,
    values,
    env,
    installation,
    clock,
    chaosPoint,
    box: boxing,
    git,
    talent,
    org,
    jobs,
    notify: async (tx, note) => {
      if (note.kind !== 'gate_pending' || !demos.approves(note)) await notify.send(tx, note)
    },
    address: () => listening?.address ?? null,
    startedIn,
  })
  const demos = createDemos({
    db,
    clock,
    log,
    jobs,
    makeRepository: (name, files) => makeDemoRepository(git, join(paths.home, 'demos', name), files),
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
    operatorToken: installation.operatorToken,
    chainKey: installation.chainKey,
    clock,
    findAttempt: (attemptId) => db.read((tx) => findStanding(tx, attemptId)),
  })

  const sessions = createSessions({ db, clock, operatorToken: installation.operatorToken })
  const { promise: stopped, resolve: setStopped } = Promise.withResolvers<string | null>()
  let stopping: Promise<void> | null = null
  const stop = (reason: string | null = null): Promise<void> => (stopping ??= shutDown(reason))
  const createLink = createSignInLinks(paths, credentials, () => ({
    dashboard: dashboardAddress(),
    address: listening?.address ?? '',
  }))
  const linkTo = (path: string): { url: string; expiresAt: string } => createLink(path, { file: false })
  const daemon = createDaemonService({
    db,
    clock,
    about: () => ({
      pid: process.pid,
      version,
      home: paths.home,
      command: [process.execPath, entryPath('agency')].map(shellWord).join(' '),
      store: aboutStore(location),
      address: listening?.address ?? '',
      dashboard: dashboardAddress(),
      lostPort: listening?.lostPort ?? null,
      socket: paths.socket,
      startedAt,
      box: boxing.about,
      undoSeconds: values.undoSeconds,
    }),
    engine: agency.engine,
    runs: agency.runs,
    slots: values.slots,
    createLink,
    stop: () => void stop(),
  })
  const jobService = createJobService({ db, jobs })
  server = createServer({
    routes: routesOf(agency, { db, clock, feed, daemon, org, notify, jobs: jobService, sessions, talent, demos }),
    credentials,
    sessions,
    ownName,
    once: db.once,
    clock,
    log,
    webRoot: web,
    version: versionWithBuild,
    onAgentRequest: agency.engine.noteStoreTrouble,
    maxBodyBytes: values.bodyLimitMb * 1_000_000,
  })

  async function shutDown(reason: string | null): Promise<void> {
    log.info('stopping')
    removeDaemonFile(paths)
    await agency.engine.stop()
    await jobs.stop()
    await server?.stop()
    for (const step of undo.reverse()) await step()
    setStopped(reason)
  }

  listening = await listenOnUsualPort(server, sessions, paths, values.port ?? undefined)
  if (listening.lostPort !== null) (print ?? ((line) => log.warn(line)))(lostPortText(listening))
  undo.push(() => (stopping === null ? server?.stop() : undefined))
  await prepareTeamTalent(db, talent, log)
  // An embedded store has one owner, whose death the next start proves; only a shared store needs a heartbeat.
  if (db.isShared) heartbeat.start()
  undo.push(() => heartbeat.stop())
  await agency.engine.start()
  await scheduleHousekeeping({ db, jobs, clock, ...paths, maxDiskMb: values.setup.maxDiskMb, log })
  await projections.refresh()
  await jobs.start()
  const { address } = listening
  const dashboard = dashboardAddress()
  writeDaemonFile(paths, { pid: process.pid, version, address, dashboard, socket: paths.socket, started_at: startedAt })
  log.info('ready', { pid: process.pid, version, address, store: location.kind })
  return { address, agency, demos, db, feed, jobs, log, createLink: linkTo, stop: () => stop(), stopped }
}

/** Opens the talent and the organisations of a home; the first start creates its first organisation. */
async function openContent(
  paths: HomePaths,
  { db, log }: Installation,
  clock: Clock,
  begin: DaemonOptions['begin'],
): Promise<{ talent: Talent; org: Org }> {
  const isFirst = await seedOrganisation(db, { isEmpty: begin === 'empty' })
  if (begin === 'empty' && !isFirst) log.warn('this home was started before, so its content stays as it is')
  const talent = await openTalent({
    folders: {
      bundled: talentRoot(),
      home: join(paths.home, 'talent'),
      playbooks: playbooksRoot(),
      prompts: join(paths.home, 'prompts'),
    },
    log,
  })
  const poolText = (persona: Persona): Promise<string> => talent.textOf(persona)
  const org = composeOrganisation({ db, clock, log, work: agentWork, data: paths.data, poolText })
  await prepareFiles(db, org.files, log)
  if (begin === 'reference') await loadReference({ db, clock, log, importer: org.importer })
  return { talent, org }
}

const supersededMessage =
  'another daemon has registered under the id of this one, so this home was copied or restored elsewhere; this daemon stops'
