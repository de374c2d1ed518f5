import { readdir, readFile, stat } from 'node:fs/promises'

import { sleep, systemClock } from '../kernel/clock.ts'
import { killGroup } from './kill-group.ts'
import { launchIdInBlock } from './launch-id.ts'

/** A process of an agent of this daemon, of a daemon that died, or of another daemon of the same user. */
export interface Survivor {
  readonly pid: number
  readonly launchId: string
}

interface SearchOptions {
  /** The file system in which the kernel lists its processes; it exists on Linux only. */
  readonly proc?: string
  readonly say?: (text: string) => void
}

/**
 * Returns every process of this user that carries a launch id. The caller decides which are its own: only ids of its
 * own store belong to it.
 */
export async function findSurvivors({ proc = '/proc', say = () => {} }: SearchOptions = {}): Promise<Survivor[]> {
  const names = await readdir(proc).catch(() => null)
  if (names === null || !names.includes('self')) {
    say(`Agents that outlived the daemon cannot be found: ${proc} does not exist.`)
    return []
  }
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const survivors: Survivor[] = []
  // In batches: a machine can have more processes than a process may open files.
  for (let from = 0; from < pids.length; from += 64) {
    const batch = pids.slice(from, from + 64).filter((pid) => pid !== process.pid)
    const found = await Promise.all(batch.map(async (pid) => ({ pid, launchId: await launchIdOf(pid, proc) })))
    for (const { pid, launchId } of found) if (launchId !== null) survivors.push({ pid, launchId })
  }
  return survivors
}

/** Kills the process with its group if its pid still belongs to the same process; returns whether it did. */
export async function killSurvivor({ pid, launchId }: Survivor): Promise<boolean> {
  if ((await launchIdOf(pid, '/proc')) !== launchId) return false
  const group = await groupOf(pid)
  return group !== null && (await belongsTo(group, launchId)) ? killGroup(group) : kill(pid)
}

/** Kills every process that still carries one of these launch ids; resolves to the number of processes killed. */
export async function killSurvivors(launchIds: readonly string[], search: SearchOptions = {}): Promise<number> {
  const wanted = new Set(launchIds)
  const killed = new Set<number>()
  let emptyPasses = 0
  // Until two passes in a row find nothing: a process shows no environment while it executes another program.
  for (let pass = 0; pass < 100 && emptyPasses < 2; pass += 1) {
    if (pass > 0) await sleep(systemClock, 10)
    const left = (await findSurvivors(search)).filter(({ launchId }) => wanted.has(launchId))
    emptyPasses = left.length === 0 ? emptyPasses + 1 : 0
    for (const survivor of left) {
      killed.add(survivor.pid)
      await killSurvivor(survivor)
    }
  }
  return killed.size
}

/** Returns null for a process of another user, for a zombie (its environment is gone) and for one without the variable. */
async function launchIdOf(pid: number, proc: string): Promise<string | null> {
  try {
    if ((await stat(`${proc}/${pid}`)).uid !== process.getuid?.()) return null
    const environment = await readFile(`${proc}/${pid}/environ`, 'latin1')
    return launchIdInBlock(environment)
  } catch {
    return null
  }
}

async function groupOf(pid: number): Promise<number | null> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // The second field is the program's name, which may contain spaces and brackets: count from its end.
  const group = Number(line?.slice(line.lastIndexOf(')') + 2).split(' ')[2])
  return Number.isInteger(group) && group > 1 ? group : null
}

/** Reports whether the group's leader carries the launch id: a group with another leader must not be killed. */
async function belongsTo(group: number, launchId: string): Promise<boolean> {
  const exists = await stat(`/proc/${group}`).then(
    () => true,
    () => false,
  )
  return !exists || (await launchIdOf(group, '/proc')) === launchId
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}
