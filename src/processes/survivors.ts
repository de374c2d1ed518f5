import { readdir, readFile, stat } from 'node:fs/promises'

import { sleep, systemClock } from '../kernel/clock.ts'
import { killGroup } from './kill-group.ts'

/** A process of an agent: of this daemon's, of one that died, or of another daemon of the same user. */
export interface Survivor {
  readonly pid: number
  readonly launchId: string
}

interface Looking {
  /** Where the system shows its processes; elsewhere than on Linux there is no such place. */
  readonly proc?: string
  readonly say?: (text: string) => void
}

/** Every process of ours that carries a launch id. Whose it is, the caller knows: only ids of its own store are its own. */
export async function findSurvivors({ proc = '/proc', say = () => {} }: Looking = {}): Promise<Survivor[]> {
  const names = await readdir(proc).catch(() => null)
  if (names === null || !names.includes('self')) {
    say(`Agents that outlived the daemon cannot be found here: there is no ${proc}.`)
    return []
  }
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const survivors: Survivor[] = []
  // In batches: a machine can have more processes than we may open files.
  for (let from = 0; from < pids.length; from += 64) {
    const batch = pids.slice(from, from + 64).filter((pid) => pid !== process.pid)
    const found = await Promise.all(batch.map(async (pid) => ({ pid, launchId: await launchIdOf(pid, proc) })))
    for (const { pid, launchId } of found) if (launchId !== null) survivors.push({ pid, launchId })
  }
  return survivors
}

/** Kills it with its group, if it still is who it was when it was found; says whether it was. */
export async function killSurvivor({ pid, launchId }: Survivor): Promise<boolean> {
  if ((await launchIdOf(pid, '/proc')) !== launchId) return false
  const group = await groupOf(pid)
  return group !== null && (await belongsTo(group, launchId)) ? killGroup(group) : kill(pid)
}

/** Kills whatever still carries one of these launch ids; resolves to how many processes that were. */
export async function killSurvivors(launchIds: readonly string[], looking: Looking = {}): Promise<number> {
  const wanted = new Set(launchIds)
  const killed = new Set<number>()
  let emptyLooks = 0
  // Until two looks in a row find nobody: a process shows no environment while it turns into another program.
  for (let look = 0; look < 100 && emptyLooks < 2; look += 1) {
    if (look > 0) await sleep(systemClock, 10)
    const left = (await findSurvivors(looking)).filter(({ launchId }) => wanted.has(launchId))
    emptyLooks = left.length === 0 ? emptyLooks + 1 : 0
    for (const survivor of left) {
      killed.add(survivor.pid)
      await killSurvivor(survivor)
    }
  }
  return killed.size
}

/** Null for a stranger's, a zombie's (its environment is gone) and for one without the variable. */
async function launchIdOf(pid: number, proc: string): Promise<string | null> {
  try {
    if ((await stat(`${proc}/${pid}`)).uid !== process.getuid?.()) return null
    const environment = await readFile(`${proc}/${pid}/environ`, 'latin1')
    return /(?:^|\0)AGENCY_LAUNCH_ID=([^\0]+)/.exec(environment)?.[1] ?? null
  } catch {
    return null
  }
}

async function groupOf(pid: number): Promise<number | null> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // The second field is the program's name, which may hold spaces and brackets: count from its end.
  const group = Number(line?.slice(line.lastIndexOf(')') + 2).split(' ')[2])
  return Number.isInteger(group) && group > 1 ? group : null
}

/** A group that somebody else leads is not ours to kill. */
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
