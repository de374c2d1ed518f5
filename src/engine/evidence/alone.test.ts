import { expect, it } from 'vitest'

import type { Evidence } from '../../work/evidence/contract.ts'
import type { Checkout } from '../../workspaces/port.ts'
import { createTurns } from './alone.ts'

/** Plays commands that leave their names behind in their place, and need the names of others. */
function play(mayFollow: (item: number, earlier: number) => boolean = () => true) {
  const log: string[] = []
  let places = 0
  const left = new Map<Checkout | null, string[]>()
  const turn = createTurns({
    mayFollow,
    another: async () => {
      const name = `place ${++places}`
      return { remove: async () => void log.push(`${name} removed`) } as Checkout
    },
    look: async ({ evidence }, place) => {
      const [name = '', needs] = (evidence as { run: string }).run.split(' needs ')
      const passed = needs === undefined || (left.get(place) ?? []).includes(needs)
      left.set(place, [...(left.get(place) ?? []), name])
      log.push(`${name} ${passed ? 'holds' : 'fails'}`)
      return { passed }
    },
  })
  const run = async (...commands: string[]) => {
    const found = []
    for (const [item, command] of commands.entries())
      found.push(await turn({ item, evidence: { kind: 'command', run: command } as Evidence }))
    return found
  }
  return { run, log }
}

it('gives each command a place of its own, and removes it', async () => {
  const { run, log } = play()
  expect(await run('build', 'lint', 'test')).toEqual([{ passed: true }, { passed: true }, { passed: true }])
  expect(log).toEqual(['build holds', 'lint holds', 'place 1 removed', 'test holds', 'place 2 removed'])
})

it('repeats a command that fails alone after those before it, and names them', async () => {
  const { run, log } = play()
  const [, , found] = await run('build', 'lint', 'run needs build')
  expect(found).toMatchObject({ passed: true, alone: { passed: false } })
  expect(found?.onlyAfter?.map((each) => (each as { run: string }).run)).toEqual(['build', 'lint'])
  expect(log.slice(-6)).toEqual([
    'run fails',
    'place 2 removed',
    'build holds',
    'lint holds',
    'run holds',
    'place 3 removed',
  ])
})

it('keeps the failure of a command that fails after the others too', async () => {
  const { run } = play()
  expect((await run('build', 'test needs more'))[1]).toEqual({ passed: false })
})

it('repeats no command after those on which it must not rest', async () => {
  const { run, log } = play(() => false)
  expect((await run('build', 'run needs build'))[1]).toEqual({ passed: false })
  expect(log.filter((line) => line.startsWith('run'))).toEqual(['run fails'])
})
