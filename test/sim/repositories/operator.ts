import type { Random } from '../random.ts'
import type { World } from '../world.ts'
import { claimOf } from './commands.ts'

/** Starts the operator's own work in the repositories: commits on main, uncommitted changes, and locks. */
export function startCommitting(world: World): void {
  const { git, random } = world
  if (git === null || git.rates.operatorMs === 0) return
  const draw = random.about('commits')
  const { operatorMs } = git.rates
  let count = 0
  const turn = (): void => {
    if (world.phase !== 'busy') return
    const path = draw.pick(git.paths)
    const acts = draw.between(0, 9)
    if (acts < 6) void git.operator.commit(path, drawFiles(draw, ++count, git.rates.operatorConflict))
    else if (acts < 8) void setFor(world, draw, (is) => git.operator.setDirty(path, is))
    else void setFor(world, draw, (is) => git.operator.setLocked(path, is))
    world.fault(acts < 6 ? 'main moves' : acts < 8 ? 'uncommitted changes' : 'locked repository')
    world.clock.after(draw.between(1, 2 * operatorMs), turn)
  }
  world.clock.after(draw.between(1, operatorMs), turn)
}

function drawFiles(random: Random, count: number, conflict: number): Map<string, string> {
  const files = new Map([[`main-${count}.md`, `commit ${count} of the operator\n`]])
  if (random.chance(conflict)) files.set('shared.md', `changed by the operator in commit ${count}\n`)
  if (random.chance(0.1)) files.set(claimOf(`main-${count}`), 'claimed by the operator\n')
  return files
}

/** Sets a state for a while. */
async function setFor({ clock }: World, random: Random, set: (is: boolean) => Promise<void>): Promise<void> {
  await set(true)
  clock.after(random.pick([1_000, 20_000, 120_000]), () => void set(false))
}
