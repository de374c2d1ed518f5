import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { expect, it } from 'vitest'

import { openAgency } from '../../../test/support/agency.ts'
import { createSeenLog, type LogLineSeen } from '../../../test/support/server.ts'
import { freshFolder } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { createGateFile } from './projection.ts'

async function scene() {
  const path = join(freshFolder(), 'workspace', 'pending_gates.json')
  const logged: LogLineSeen[] = []
  let refresh = (): void => {}
  const agency = await openAgency({ gatesChanged: () => refresh() })
  const file = createGateFile({ db: agency.db, path, log: createSeenLog(logged) })
  refresh = file.refresh
  await agency.engine.start()
  return {
    agency,
    path,
    logged,
    file,
    read: async () => {
      await file.settled()
      return JSON.parse(readFileSync(path, 'utf8')) as { gates: Record<string, unknown>[] }
    },
  }
}

it('the file of pending gates appears with the first one, and each is gone when decided', async () => {
  const { agency, read, path } = await scene()
  const [first, second] = [await agency.run({ planGate: true }), await agency.run({ planGate: true })]
  const { gates } = await read()
  expect(gates.map((gate) => gate['run_id']).sort()).toEqual([first.id, second.id].sort())
  expect(Object.keys(gates[0] ?? {})).toEqual(['run_id', 'gate', 'pending_since', 'summary'])
  expect(gates[0]).toMatchObject({
    gate: 'plan',
    pending_since: '2030-01-01T00:00:00.000Z',
    summary: { produced: expect.stringContaining('A plan of 1 brief') as never },
  })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await agency.gates.approve(operator, { target: first.id })
  expect((await read()).gates.map((gate) => gate['run_id'])).toEqual([second.id])
  await agency.gates.pause(operator, second.id, undefined)
  expect((await read()).gates.map((gate) => gate['gate'])).toEqual(['plan', 'manual'])
  await agency.runs.cancel(operator, second.id, undefined)
  expect(await read()).toEqual({ gates: [] })
  expect(readdirSync(dirname(path))).toEqual(['pending_gates.json'])
})

it('foreign content of the file is completely replaced at the next write', async () => {
  const { agency, read, path, file } = await scene()
  const run = await agency.run({ planGate: true })
  await read()
  writeFileSync(path, '{"gates": [')
  file.refresh()
  expect((await read()).gates).toMatchObject([{ run_id: run.id }])
})

it('a file that cannot be written is logged and stops no run', async () => {
  const { agency, path, logged, file } = await scene()
  await file.settled()
  rmSync(dirname(path), { recursive: true, force: true })
  writeFileSync(dirname(path), 'in the way')
  const run = await agency.run({ planGate: true })
  await file.settled()
  expect(logged).toMatchObject([{ level: 'warn', message: 'pending_gates.json could not be written' }])
  await agency.gates.approve(operator, { target: run.id })
  expect(await agency.settled(run)).toMatchObject({ status: 'done' })
})
