import { describe, expect, it } from 'vitest'

import { createQueue } from './queue.ts'

describe('a queue', () => {
  it('gives a turn to the work that waits longest, and refuses work when too much waits', async () => {
    const queue = createQueue({ atOnce: 1, maxWaiting: 2 })
    const order: string[] = []
    const end = await queue.take()
    const others = ['a', 'b'].map((name) => queue.take()?.then((endOther) => void (order.push(name), endOther())))
    expect(queue.take()).toBeNull()
    expect(order).toEqual([])
    end?.()
    await Promise.all(others)
    expect(order).toEqual(['a', 'b'])
  })

  it('counts a turn that is ended twice once', async () => {
    const queue = createQueue({ atOnce: 1, maxWaiting: 0 })
    const end = await queue.take()
    end?.()
    end?.()
    expect(queue.take()).not.toBeNull()
    expect(queue.take()).toBeNull()
  })
})
