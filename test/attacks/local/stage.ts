import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type DaemonStage, openDaemonStage, type Puppet } from '../daemon-stage.ts'

/** A daemon of one user on a machine with others. */
export interface LocalStage {
  readonly daemon: DaemonStage
  /** The host name of its home. */
  readonly hostName: string
  /** Returns its agent, which is started at the first call. */
  puppet(): Promise<Puppet>
}

export async function openLocalStage(): Promise<LocalStage> {
  const daemon = await openDaemonStage()
  let puppet: Promise<Puppet> | null = null
  const hostName = `${readFileSync(join(daemon.home, 'host.name'), 'utf8').trim()}.localhost`
  return { daemon, hostName, puppet: () => (puppet ??= daemon.puppet()) }
}
