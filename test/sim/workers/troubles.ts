import type { SimProcess } from '../process.ts'
import type { World } from '../world.ts'

/** Halts a process and cuts it off from the store, now and then, and kills it at any moment. */
export function troubleProcess(world: World, process: SimProcess, replace: () => void): void {
  const { clock, rates, workerRates } = world
  const random = process.random.about('workers')
  const every = (meanMs: number, begin: () => void): void => {
    if (meanMs === 0) return
    clock.after(random.between(1, 2 * meanMs), () => {
      if (process.isDead() || world.phase !== 'busy') return
      begin()
      every(meanMs, begin)
    })
  }

  every(workerRates.freezeMs, () => {
    if (process.freeze.isFrozen()) return
    world.fault('halt')
    const ms = random.pick([
      random.between(1_000, 44_000),
      random.between(46_000, 70_000),
      random.between(70_000, 300_000),
    ])
    process.halt(true)
    clock.after(ms, () => process.halt(false))
    if (ms < 60_000 || !random.chance(workerRates.replace)) return
    clock.after(random.between(1_000, ms - 1_000), () => {
      if (process.isDead() || world.phase !== 'busy') return
      world.fault('replacement')
      replace()
    })
  })

  every(workerRates.cutMs, () => {
    if (process.isCut()) return
    world.fault('cut')
    process.cut(true)
    const ms = random.pick([
      random.between(1_000, 44_000),
      random.between(46_000, 75_000),
      random.between(75_000, 240_000),
    ])
    clock.after(ms, () => process.cut(false))
  })

  every(rates.deathMs, () => process.die('death at any moment'))
}
