import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { type Log, noLog } from '../../kernel/log.ts'
import { diskUseOf } from '../box/disk.ts'
import { type Entrance, hasBox, type Place } from '../enter.ts'
import { isDirectory } from '../own-directory.ts'
import { defaultPolicy } from '../policy.ts'
import type { CheckoutSource, Setup, WorkspacePolicy } from '../port.ts'
import { removeTree } from '../remove-tree.ts'
import { findChanges, takeBaseline, touchesCommit } from './changes.ts'
import { cacheEnvironment } from './environment.ts'
import { findPlan, planDeclared, readCommitted } from './find-plan.ts'
import { makeSetupHome } from './home.ts'
import { whileInUse } from './in-use.ts'
import { keyOf } from './key.ts'
import type { CommitFiles, SetupPlan } from './plan.ts'
import { hasSucceeded, reasonOf, runSetup, type SetupRun, type SetupStep, shownOutput } from './run.ts'
import { sharedObjects } from '../path.ts'
import { namesPath } from './names-path.ts'
import { markUsed, restoreSnapshot, saveSnapshot } from './snapshots.ts'

export interface SetupOptions {
  /** Files of the operator, such as registry settings, in the HOME of setups. */
  readonly files?: readonly string[]
  readonly minutes?: number
  /** Returns the id of a commit's tree. */
  readonly treeOf?: (mirror: string, commit: string) => Promise<string>
  readonly log?: Log
}

/** A clean clone that is to be prepared. */
export interface SetupTarget {
  readonly id: string
  readonly path: string
  readonly source: Extract<CheckoutSource, { kind: 'commit' }>
  /** The declared command; null: found by the lockfile. */
  readonly command: string | null
  readonly wantsBox: boolean
  readonly policy?: WorkspacePolicy | undefined
  readonly signal?: AbortSignal | undefined
  /** Two directories that exist only during the setup: HOME of the installation, and of the programs after it. */
  readonly homes: readonly [install: string, build: string]
  /** Makes the clean clone again, in the same place. */
  readonly cloneAgain: () => Promise<void>
}

export interface PreparedCheckout {
  readonly setup: Setup
  /** Directories whose programs the checks find by name. */
  readonly programs: readonly string[]
}

/** Prepares a clean clone; resolves to null if it needs no setup. Rejects if Agency itself fails, or when aborted. */
export type PrepareCheckout = (target: SetupTarget) => Promise<PreparedCheckout | null>

/** The directory of snapshots and caches, below the root of the workspaces; each repository has its own in it. */
export const setupDirectory = '.setup'

const defaultMinutes = 10

export function createSetups(root: () => Promise<string>, entrance: Entrance, options: SetupOptions): PrepareCheckout {
  const { clock } = entrance
  return async (target) => {
    const { path, command, source } = target
    const files: CommitFiles = {
      read: (name) => readCommitted(path, name),
      isDirectory: (name) => isDirectory(join(path, name)),
    }
    const plan = command === null ? await findPlan(files) : planDeclared(command)
    if (plan === null) return null
    const startedMs = clock.nowMs()
    const directory = join(await root(), setupDirectory, basename(source.mirror))
    // A committed directory of programs is the agent's: checks must not find its programs before those of the machine.
    const programs = plan.installedPrograms ?? null
    const isCommitted = programs !== null && (await files.isDirectory(programs.split('/')[0] ?? ''))
    const isBoxed = target.wantsBox && hasBox(entrance)
    const key = await keyOf(plan, {
      files,
      isBoxed,
      operatorFiles: options.files ?? [],
      tree: () => treeIdOf(options, target),
    })
    const preparation: Preparation = {
      ...target,
      entrance,
      options,
      plan,
      isBoxed,
      cache: plan.keepsCache === true ? join(directory, 'cache') : join(target.homes[0], '.setup-cache'),
      snapshot: key === null ? null : join(directory, 'snapshots', key),
      untilMs: startedMs + (options.minutes ?? defaultMinutes) * 60_000,
    }
    try {
      const result = await prepare(preparation)
      return {
        setup: { command: plan.command, ...result, durationMs: Math.max(0, clock.nowMs() - startedMs) },
        programs: programs === null || isCommitted ? [] : [join(path, programs)],
      }
    } finally {
      for (const home of target.homes) await removeTree(home)
    }
  }
}

/** Names the content of a checkout: the tree, and which part of it was written. */
async function treeIdOf({ treeOf }: SetupOptions, { source }: SetupTarget): Promise<string | null> {
  const { mirror, commit, paths = null } = source
  return treeOf === undefined ? null : JSON.stringify([await treeOf(mirror, commit), paths])
}

interface Preparation extends SetupTarget {
  readonly entrance: Entrance
  readonly options: SetupOptions
  readonly plan: SetupPlan
  readonly isBoxed: boolean
  readonly cache: string
  readonly snapshot: string | null
  readonly untilMs: number
}

type Prepared = Pick<Setup, 'outcome' | 'from' | 'detail' | 'output'>

async function prepare(preparation: Preparation): Promise<Prepared> {
  const { snapshot, path, plan, homes } = preparation
  const isRestored = snapshot !== null && (await restoreSnapshot(snapshot, path, copyingOf(preparation)))
  const installed: Prepared = isRestored
    ? { outcome: 'ready', from: 'snapshot', detail: '', output: '' }
    : await whileInUse(preparation.cache, () => install(preparation))
  if (installed.outcome === 'failed' || plan.build === null) return installed
  // The programs that follow belong to the commit: they must not find the operator's files.
  await removeTree(homes[0])
  await mkdir(homes[1], { mode: 0o700 })
  const place = placeOf(preparation, homes[1])
  const step = await runSetup({ online: plan.build }, runOf(preparation, place))
  const built = preparedBy(step, preparation)
  return { ...built, from: built.from === 'network' ? 'network' : installed.from }
}

async function install(preparation: Preparation): Promise<Prepared> {
  const { snapshot, path, plan, homes, cache, entrance, options, isBoxed } = preparation
  const fault = await makeSetupHome(homes[0], options.files ?? [])
  if (fault !== null) return { outcome: 'failed', from: 'caches', detail: fault, output: '' }
  await mkdir(cache, { recursive: true, mode: 0o700 })
  await markUsed(cache, entrance.clock.nowMs())
  let baseline = snapshot === null ? null : await takeBaseline(path)
  const cloneAgain = async (): Promise<void> => {
    await preparation.cloneAgain()
    if (baseline !== null) baseline = await takeBaseline(path)
  }
  const place = placeOf(preparation, homes[0], { writable: [cache], cachedMb: await diskUseOf([cache]) })
  const environment = { ...cacheEnvironment(cache), ...plan.environment }
  const step = await runSetup(plan.install, {
    ...runOf(preparation, place),
    environment,
    ...(plan.repeatsOnCleanClone === true ? { beforeRepeat: cloneAgain } : {}),
  })
  const known = baseline
  if (hasSucceeded(step.result) && snapshot !== null && known !== null)
    await findChanges(path, known)
      .then(async (changes) => {
        // Other commits get this result too: it must not change or remove files of theirs.
        if (plan.inputs !== null && touchesCommit(changes, known)) return
        // In a box every checkout has the same path.
        if (!isBoxed && (await namesPath(path, changes.written))) return
        await saveSnapshot(snapshot, path, changes, copyingOf(preparation))
      })
      // The checkout itself is ready; the next one installs again.
      .catch((error: unknown) => (options.log ?? noLog).warn('a setup was not kept', { error: String(error) }))
  preparation.signal?.throwIfAborted()
  return preparedBy(step, preparation)
}

/** The cache counts as used space, but belongs to earlier setups too. */
function placeOf(
  { id, path, source, wantsBox, policy = defaultPolicy('') }: Preparation,
  home: string,
  { writable = [], cachedMb = 0 }: { writable?: readonly string[]; cachedMb?: number } = {},
): Place {
  const maxDiskMb = policy.limits.maxDiskMb + Math.ceil(cachedMb)
  return {
    path,
    home,
    wantsBox,
    policy: { ...policy, limits: { ...policy.limits, maxDiskMb } },
    own: [sharedObjects(source.mirror)],
    writable,
    isCheckout: true,
    launchId: id,
  }
}

const runOf = ({ entrance, untilMs, signal }: Preparation, place: Place): SetupRun => ({
  entrance,
  place,
  environment: {},
  untilMs,
  signal,
})

function preparedBy({ result, from }: SetupStep, { options }: Preparation): Prepared {
  const output = shownOutput(result.output)
  if (hasSucceeded(result)) return { outcome: 'ready', from, detail: '', output }
  return { outcome: 'failed', from, detail: reasonOf(result, options.minutes ?? defaultMinutes), output }
}

const copyingOf = ({ id, signal, entrance }: Preparation) => ({ launchId: id, signal, nowMs: entrance.clock.nowMs() })
