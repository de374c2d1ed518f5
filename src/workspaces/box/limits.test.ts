import { expect, it } from 'vitest'

import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import type { Breach } from '../port.ts'
import type { GroupFiles } from './cgroup-files.ts'
import { maxTasksOf } from './confine.ts'
import { watchLimits, type WatchOptions } from './limits.ts'
import { maxFilesOf } from './watch-disk.ts'

const limits = { maxProcesses: 10, maxMemoryMb: 100, maxDiskMb: 1_000 }

function watch(options: Partial<WatchOptions> = {}) {
  const clock = createVirtualClock()
  const breaches: Breach[] = []
  let kills = 0
  const watching = watchLimits({
    clock,
    limits,
    measure: async () => ({ processes: 1, memoryMb: 1 }),
    measureDisk: async () => ({ megabytes: 1, files: 1 }),
    free: async () => ({ megabytes: 10_000, files: 1_000_000 }),
    kill: () => (kills += 1),
    exceeded: (breach) => void breaches.push(breach),
    ...options,
  })
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.advance(50)
      await new Promise(setImmediate)
    }
  }
  return { ...watching, clock, breaches, pass, kills: () => kills }
}

const group = (figures: Partial<GroupFiles>): Pick<WatchOptions, 'kernel'> => ({
  kernel: {
    figures: () => ({
      limit: () => {},
      tasks: () => 3,
      processes: () => [1, 2, 3],
      peakMb: () => null,
      kills: () => 0,
      refusals: () => 0,
      ...figures,
    }),
    own: { processes: 2, memoryMb: 16, tasks: 8 },
  },
})

it('judges memory while a walk over the disk takes long', async () => {
  const { promise: never } = Promise.withResolvers<never>()
  const { pass, breaches, kills } = watch({
    measureDisk: () => never,
    measure: async () => ({ processes: 1, memoryMb: 150 }),
  })
  await pass(200)
  expect(breaches).toEqual([{ limit: 'memory', used: 150, allowed: 100 }])
  expect(kills()).toBe(1)
})

it('counts files, and measures the disk again as soon as free space shrinks', async () => {
  let [free, files] = [10_000, 100]
  const { pass, breaches } = watch({
    measureDisk: async () => ({ megabytes: 1, files }),
    free: async () => ({ megabytes: free, files: 1_000_000 }),
  })
  await pass(1_000)
  files = maxFilesOf(limits.maxDiskMb) + 1
  await pass(2_000)
  expect(breaches).toEqual([])
  free -= 64
  await pass(600)
  expect(breaches).toEqual([{ limit: 'files', used: 25_001, allowed: 25_000 }])
})

it('stops the processes for a walk if more space was lost than a walk has found', async () => {
  let [free, isHeld] = [10_000, false]
  const { pass, breaches } = watch({
    measureDisk: async () => ({ megabytes: isHeld ? 1_200 : 1, files: 1 }),
    free: async () => ({ megabytes: free, files: 1_000_000 }),
    hold: async (look) => {
      isHeld = true
      const found = await look()
      isHeld = false
      return found
    },
  })
  await pass(1_000)
  free -= 900
  await pass(1_000)
  expect(breaches).toEqual([])
  free -= 300
  await pass(1_000)
  expect(breaches).toEqual([{ limit: 'disk', used: 1_200, allowed: 1_000 }])
})

it('does not stop the processes again and again because a neighbour fills the disk', async () => {
  let [free, holds] = [10_000, 0]
  const { pass, breaches } = watch({
    free: async () => ({ megabytes: (free -= 100), files: 1_000_000 }),
    hold: async (look) => {
      holds += 1
      return look()
    },
  })
  await pass(20_000)
  expect(breaches).toEqual([])
  expect(holds).toBeGreaterThan(0)
  expect(holds).toBeLessThanOrEqual(20)
})

it('counts processes by the kernel between two measurements', async () => {
  const pids = Array.from({ length: 40 }, (_, each) => each)
  const { pass, breaches } = watch(group({ tasks: () => 40, processes: () => pids }))
  await pass(50)
  expect(breaches).toEqual([{ limit: 'processes', used: 38, allowed: 10 }])
})

it('takes a refusal of the kernel for a breach, and names threads if there are few processes', async () => {
  const { pass, breaches } = watch(group({ refusals: () => 1 }))
  await pass(50)
  expect(breaches).toEqual([{ limit: 'processes', used: maxTasksOf(limits), allowed: 10, withThreads: true }])
})

it('finds a kill by the kernel at the exit, and signals nobody then', async () => {
  const { settle, breaches, kills, stop } = watch(group({ kills: () => 1, peakMb: () => 115.5 }))
  settle()
  expect(breaches).toEqual([{ limit: 'memory', used: 101, allowed: 100 }])
  expect(kills()).toBe(0)
  expect(await stop()).toEqual({ processes: 1, memoryMb: 100, diskMb: 1 })
})

it('reports the use of a command that was too short to be measured if the kernel has counted it', async () => {
  expect(await watch().stop()).toBeNull()
  const { stop, breaches } = watch(group({ peakMb: () => 50 }))
  expect(await stop()).toEqual({ processes: 1, memoryMb: 34, diskMb: 1 })
  expect(breaches).toEqual([])
})

it('finds at the end that the disk is full, though nothing is left to kill', async () => {
  let megabytes = 1
  const { pass, stop, breaches, kills } = watch({ measureDisk: async () => ({ megabytes, files: 1 }) })
  await pass(200)
  megabytes = 1_200
  await stop()
  expect(breaches).toEqual([{ limit: 'disk', used: 1_200, allowed: 1_000 }])
  expect(kills()).toBe(0)
})
