import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import type { Box } from './box/box.ts'
import { runCommand } from './command.ts'
import { enterDirectly } from './enter-directly.ts'
import { enterMonitored } from './enter-monitored.ts'
import { sourceInside } from './file-source.ts'
import { readInside, writeInside } from './files.ts'
import type { Guarded } from './guarded.ts'
import { defaultPolicy } from './policy.ts'
import type { Workspace, WorkspacePolicy } from './port.ts'

export interface NoBox {
  readonly reason: string
  readonly install: string
}

/** The way into workspaces of this machine. */
export interface Entrance {
  /** The box, or why there is none. */
  readonly box?: Box | NoBox | undefined
  /** Refuses every process that would run outside the box. */
  readonly isBoxRequired?: boolean | undefined
  readonly clock: Clock
}

export interface Place {
  readonly path: string
  readonly home: string
  /** Whether its processes run in the box, if there is one. */
  readonly wantsBox: boolean
  readonly policy?: WorkspacePolicy | undefined
  /** Paths outside that its processes may read: the operator's, and those of the installation itself. */
  readonly readable?: readonly string[]
  readonly own?: readonly string[]
  /** Directories outside that its processes may write. */
  readonly writable?: readonly string[]
  /** Directories in it that its processes cannot change; by default Agency's own. They exist. */
  readonly guarded?: readonly Guarded[] | undefined
  /** See `BoxWorkspace.isCheckout`. */
  readonly isCheckout?: boolean
  /** Its processes carry it, and those of a checkout hide it: see `launchEnvironment`. */
  readonly launchId: string | null
  /** Returns the directories in which its commands look up programs first. */
  readonly programs?: () => readonly string[]
}

/** Creates the workspace of an existing directory and HOME. */
export function createWorkspace(entrance: Entrance, place: Place): Workspace {
  const { box, clock } = entrance
  const { path, home, launchId, wantsBox } = place
  const isBoxed = wantsBox && box !== undefined && !('reason' in box)
  const policy = place.policy ?? defaultPolicy('')
  const enter = isBoxed
    ? box.enter({ ...place, policy })
    : wantsBox && box !== undefined
      ? enterMonitored({ ...place, policy, clock })
      : refuseIfRequired(entrance, enterDirectly(path))
  return {
    path,
    boxed: isBoxed,
    home,
    enter,
    read: (name, maxBytes, look) => readInside(path, name, maxBytes, look),
    source: (name) => sourceInside(path, name),
    write: (name, text) => writeInside(path, name, text),
    run: (command, limits) =>
      runCommand({
        command,
        workspace: { enter, home },
        launchId,
        isHidden: place.isCheckout === true,
        programs: place.programs?.() ?? [],
        clock,
        ...limits,
      }),
  }
}

export const hasBox = ({ box }: Entrance): boolean => box !== undefined && !('reason' in box)

/** A place outside the box has files, but with a required box no process is started in it. */
const refuseIfRequired = ({ isBoxRequired }: Entrance, enter: Workspace['enter']): Workspace['enter'] =>
  isBoxRequired === true ? () => Promise.reject(outsideBox()) : enter

const outsideBox = () =>
  refusal('box_unavailable', 'a box is required, and this would run outside of it', {
    hint: 'Set "box: auto" in config.yaml, or remove its entry from checks.host.',
  })

/** Refuses to run commands in a place outside the box where a box is required. */
export function checkCheckoutBox(entrance: Entrance, place: Pick<Place, 'wantsBox' | 'policy'>): void {
  if (entrance.isBoxRequired === true && !place.wantsBox) throw outsideBox()
  checkBox(entrance, place)
}

/** Refuses requests that only a box can guarantee where there is none. */
export function checkBox(
  { box, isBoxRequired }: Entrance,
  { wantsBox, policy }: Pick<Place, 'wantsBox' | 'policy'>,
): void {
  if (!wantsBox || box === undefined || !('reason' in box)) return
  const { reason, install } = box
  if (isBoxRequired === true)
    throw refusal('box_unavailable', `a box is required, but none is available: ${reason}`, {
      hint: `${install} Or set "box: auto" in config.yaml.`,
    })
  if (policy?.network.allowed === false)
    throw refusal('network_isolation_unavailable', `the network cannot be disabled without a box: ${reason}`, {
      hint: install,
    })
}
