import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { notifierName } from '../adapters/notify/contract.ts'
import type { Configuration } from '../config/contract.ts'
import { loadConfiguration } from '../config/load.ts'
import type { HomePaths } from '../daemon/home.ts'
import { AgencyError } from '../kernel/errors.ts'
import { createConfiner, type Enforcement } from '../workspaces/box/confine.ts'
import type { DoctorDeps } from './doctor.ts'
import { fail, type Finding, ok, reasonOf, warn } from './finding.ts'
import { examineHomeAccess } from './home.ts'
import { examineAgentKeys } from './machine.ts'
import { examineSandbox } from './sandbox.ts'
import { examineStoredRights } from './security-store.ts'

/**
 * Reports which boundaries of docs/security.md hold on this machine with this configuration. It changes nothing. A
 * warning names a boundary that is weaker than it could be.
 */
export async function examineSecurity({
  paths,
  env,
  clock,
}: Pick<DoctorDeps, 'paths' | 'env' | 'clock'>): Promise<Finding[]> {
  let configuration: Configuration
  try {
    configuration = loadConfiguration({ env, home: paths }).values
  } catch (error) {
    return [fail('config', reasonOf(error), error instanceof AgencyError ? error.hint : undefined)]
  }
  const sandbox = await examineSandbox(env, configuration.box)
  // Agents start all the same, unless a box is required: no boundary of a box holds for them.
  const isUnboxed = sandbox.status === 'warn'
  return [
    examineUser(process.getuid?.() ?? null),
    sandbox,
    ...(isUnboxed
      ? [unheld('limits', 'nothing limits the memory, the processes and the disk of an agent')]
      : [await examineLimits(env)]),
    examineUnboxed(configuration),
    ...(isUnboxed
      ? [unheld('network', 'agents reach every host that you reach, also those of your own network')]
      : [examineNetwork(configuration.network), examineReadable(configuration)]),
    ...examineHomeAccess(paths),
    examineFiles(paths),
    examineDatabase(configuration.databaseUrl),
    ...(await examineStoredRights({ paths, clock }, configuration.databaseUrl)),
    ...examineAgentKeys(env, { isUnboxed, names: configuration.claude.environment }),
    examineNotifiers(configuration.notify),
  ]
}

const unheld = (name: string, detail: string): Finding =>
  warn(name, `${detail}: there is no box`, 'Let agents run in a box, see "sandbox".')

const examineUser = (uid: number | null): Finding =>
  uid === 0
    ? warn('user', 'root: to the kernel the processes of a box are root too', 'Run Agency as a user of its own.')
    : ok('user', `uid ${uid ?? 'unknown'}, without the rights of root`)

const enforced: Readonly<Record<Enforcement, string>> = {
  cgroup1: 'the kernel limits memory and processes (control groups, version 1)',
  cgroup2: 'the kernel limits memory and processes (control groups, version 2)',
  systemd: 'the kernel limits memory and processes (scopes of systemd)',
  samples: '',
}

async function examineLimits(env: DoctorDeps['env']): Promise<Finding> {
  const directory = await mkdtemp(join(tmpdir(), 'agency-doctor-'))
  try {
    const { enforcement } = await createConfiner(directory, { ...env })
    if (enforcement !== 'samples') return ok('limits', enforced[enforcement])
    return warn(
      'limits',
      'memory is measured twice a second, so a box can exceed its limit for a moment',
      'Run Agency in a session of systemd, or give its user a control group that it may write to.',
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function examineUnboxed({ box, allowUnsandboxedYolo, checks }: Configuration): Finding {
  const holes = [
    ...(box === 'off' ? ['no agent runs in a box (box: off)'] : []),
    ...(allowUnsandboxedYolo ? ['agents without a box run every tool unasked (allow_unsandboxed_yolo)'] : []),
    ...checks.host.map(({ repository }) => `the checks of ${repository} run on this machine (checks.host)`),
  ]
  if (holes.length > 0) return warn('outside a box', holes.join('; '), 'Remove these settings from config.yaml.')
  return box === 'required'
    ? ok('outside a box', 'nothing starts without a box (box: required)')
    : ok('outside a box', 'agents run there only if no box can be created; every screen then shows "not boxed"')
}

function examineNetwork({ allowed, allow, private: own }: Configuration['network']): Finding {
  if (!allowed) return ok('network', 'boxes reach the daemon and the servers of their runtime only')
  const named = own.length === 0 ? '' : `; hosts of your own network: ${own.join(', ')}`
  if (allow.length > 0) return ok('network', `boxes reach ${allow.join(', ')}${named}`)
  return warn(
    'network',
    `boxes reach every public host, so an agent can send away all that it can read${named}`,
    'Name the hosts that agents need in network.allow of config.yaml.',
  )
}

const examineReadable = ({ boxReadable, setup }: Configuration): Finding => {
  const shown = [...boxReadable, ...setup.files]
  return ok('shown to boxes', shown.length === 0 ? 'programs of the system only' : shown.join(', '))
}

/** Files of the home that hold texts or keys; another user must not be able to read them. */
function examineFiles({ home, config }: HomePaths): Finding {
  const names = [...namesIn(home).filter((name) => /\.(db|db-wal|db-shm|token|key|json)$/.test(name)), 'config.yaml']
  const open = names
    .map((name) => (name === 'config.yaml' ? config : join(home, name)))
    .filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  return open.length === 0
    ? ok('files', 'the store, tokens and keys can be read by their owner only')
    : warn('files', `other users may read ${open.join(', ')}`, `Run "chmod go= ${open.join(' ')}".`)
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function examineDatabase(url: string | null): Finding {
  if (url === null) return ok('store', 'a file of the home')
  const { hostname, searchParams } = new URL(url)
  const isLocal = ['', 'localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const isEncrypted = ['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? '')
  if (isLocal || isEncrypted) return ok('store', `PostgreSQL ${isLocal ? 'on this machine' : 'over TLS'}`)
  return warn('store', `PostgreSQL on ${hostname} without TLS`, 'Add sslmode=verify-full to DATABASE_URL.')
}

const examineNotifiers = (notifiers: Configuration['notify']): Finding =>
  ok(
    'notifiers',
    notifiers.length === 0 ? 'none' : `${notifiers.map(notifierName).join(', ')}; only config.yaml defines notifiers`,
  )
