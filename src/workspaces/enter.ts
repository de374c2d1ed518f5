import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import type { Box } from './box/box.ts'
import { runCommand } from './command.ts'
import { enterDirectly } from './enter-directly.ts'
import { enterMonitored } from './enter-monitored.ts'
import { readInside, writeInside } from './files.ts'
import { defaultPolicy } from './policy.ts'
import type { Workspace, WorkspacePolicy } from './port.ts'

export interface NoBox {
  readonly reason: string
  readonly install: string
  readonly isRequired: boolean
}

/** The way into workspaces of this machine. */
export interface Entrance {
  /** The box, or why there is none and whether a box is required. */
  readonly box?: Box | NoBox | undefined
  readonly clock: Clock
}

export interface Place {
  readonly path: string
  readonly home: string
  /** Whether its processes run in the box, if there is one. */
  readonly wantsBox: boolean
  readonly policy?: WorkspacePolicy | undefined
  /** Directories outside that its processes may read, and those that they may write. */
  readonly readable?: readonly string[]
  readonly writable?: readonly string[]
  /** See `BoxWorkspace.isCheckout`. */
  readonly isCheckout?: boolean
  /** Its processes carry it, and those of a checkout hide it: see `launchEnvironment`. */
  readonly launchId: string | null
  /** Returns the directories in which its commands look up programs first. */
  readonly programs?: () => readonly string[]
}

/** Creates the workspace of an existing directory and HOME. */
export function createWorkspace({ box, clock }: Entrance, place: Place): Workspace {
  const { path, home, launchId, wantsBox } = place
  const isBoxed = wantsBox && box !== undefined && !('reason' in box)
  const policy = place.policy ?? defaultPolicy('')
  const enter = isBoxed
    ? box.enter({ ...place, policy })
    : wantsBox && box !== undefined
      ? enterMonitored({ ...place, policy, clock })
      : enterDirectly(path)
  return {
    path,
    boxed: isBoxed,
    home,
    enter,
    read: (name, maxBytes) => readInside(path, name, maxBytes),
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

/** Refuses requests that only a box can guarantee where there is none. */
export function checkBox({ box }: Entrance, { wantsBox, policy }: Pick<Place, 'wantsBox' | 'policy'>): void {
  if (!wantsBox || box === undefined || !('reason' in box)) return
  const { reason, install, isRequired } = box
  if (isRequired)
    throw refusal('box_unavailable', `a box is required, but none is available: ${reason}`, {
      hint: `${install} Or set "box: auto" in config.yaml.`,
    })
  if (policy?.network.allowed === false)
    throw refusal('network_isolation_unavailable', `the network cannot be disabled without a box: ${reason}`, {
      hint: install,
    })
}
