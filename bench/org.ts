import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

import { openStore } from '../src/db/open.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { operatorPersona } from '../src/kernel/ids.ts'
import { noLog } from '../src/kernel/log.ts'
import { composeOrganisation, type Org } from '../src/org/compose.ts'
import { seedOrganisation } from '../src/org/seed.ts'
import { agentWork } from '../src/work/agent-work.ts'
import { freshFolder } from './daemon-process.ts'
import { atMost, type Benchmark, type Figure, median, withoutTarget } from './figures.ts'

const sizes = [20, 200, 2_000] as const
const operator = { kind: 'operator', personaId: operatorPersona } as const
const bundle = fileURLToPath(new URL('../dist/agency.mjs', import.meta.url))

/** Time to import and export an organisation per seat, which must not grow with the number of seats. */
export const org: Benchmark = {
  name: 'org',
  run: async ({ quick, log }) => {
    const figures: Figure[] = []
    const perSeat = new Map<string, number>()
    // The first imports are slower, because their code is not compiled yet.
    for (let round = 0; round < 5; round++) await roundTrip(200)
    for (const size of sizes) {
      const rounds: RoundTrip[] = []
      for (let round = 0; round < (quick ? 1 : 3) * (size < 2_000 ? 5 : 1); round++) rounds.push(await roundTrip(size))
      for (const step of ['import', 'export'] as const) {
        const ms = median(rounds.map((each) => each[step]))
        perSeat.set(`${step} ${size}`, ms / size)
        log(`${step} of ${size} seats ${ms.toFixed(0)} ms, ${((1_000 * ms) / size).toFixed(0)} µs a seat`)
      }
    }
    for (const step of ['import', 'export'] as const) {
      const growth = (perSeat.get(`${step} 2000`) ?? NaN) / (perSeat.get(`${step} 20`) ?? NaN)
      figures.push(atMost(`org ${step}: time per seat, of 2,000 against 20`, growth, 1.5, '×'))
      figures.push(withoutTarget(`org ${step} of 2,000 seats`, (perSeat.get(`${step} 2000`) ?? NaN) * 2_000, 'ms'))
    }
    figures.push(...tree(quick, log))
    return figures
  },
}

interface RoundTrip {
  import: number
  export: number
}

/** Imports a document into an empty store on the disk, with the files of its personas, and exports it again. */
async function roundTrip(size: number): Promise<RoundTrip> {
  const folder = freshFolder()
  const db = await openStore(
    { kind: 'sqlite', path: join(folder, 'store.db') },
    { clock: systemClock, chainKey: new Uint8Array(32) },
  )
  try {
    await seedOrganisation(db, { isEmpty: true })
    const { documents, files } = composeOrganisation({
      db,
      clock: systemClock,
      log: noLog,
      work: agentWork,
      data: join(folder, 'data'),
    })
    await files.recover()
    const text = documentOf(size)
    const options = { preview: false, force: false, withIntent: false }
    const imported = await timed(() => documents.import(operator, text, options))
    const exported = await timed(() => exportOf(documents))
    return { import: imported.ms, export: exported.ms }
  } finally {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const exportOf = (documents: Org['documents']) =>
  documents.export('Company', { format: 'yaml', positionsOnly: false, allRoles: false })

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number }> {
  const began = performance.now()
  await work()
  return { ms: performance.now() - began }
}

/** Measures `agency org tree`, which a working agent waits for, from the start of the process to its end. */
function tree(quick: boolean, log: (line: string) => void): Figure[] {
  if (!existsSync(bundle)) throw new Error('dist/agency.mjs does not exist; run: npm run build')
  const home = freshFolder()
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, AGENCY_PORT: '0' }
  const run = (...words: string[]): number => {
    const began = performance.now()
    const { status, stderr } = spawnSync(process.execPath, [bundle, ...words], { env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`agency ${words.join(' ')} ended with ${status}: ${stderr}`)
    return performance.now() - began
  }
  run('up', '--no-seed')
  try {
    const times = new Map<number, number[]>([
      [20, []],
      [2_000, []],
    ])
    for (const size of times.keys()) {
      const file = join(home, `${size}.yaml`)
      writeFileSync(file, documentOf(size, `Company ${size}`, size * 10))
      run('org', 'import', '--file', file)
      run('org', 'tree', '--org', `Company ${size}`)
    }
    for (let round = 0; round < (quick ? 5 : 21); round++)
      for (const [size, list] of times) list.push(run('org', 'tree', '--org', `Company ${size}`))
    const [small, large] = [median(times.get(20) ?? []), median(times.get(2_000) ?? [])]
    log(`agency org tree: of 20 seats ${small.toFixed(0)} ms, of 2,000 ${large.toFixed(0)} ms`)
    return [atMost('agency org tree: of 2,000 seats against 20', large / small, 3, '×')]
  } finally {
    run('down')
    rmSync(home, { recursive: true, force: true })
  }
}

/** Builds a document with four reports per seat, a holder on every second seat and a limit on every fifth. */
function documentOf(size: number, name = 'Company', first = 1): string {
  const seats = Array.from({ length: size }, (_, index) => {
    const id = first + index
    const above = index === 0 ? 'null' : `Seat ${(index - 1) >> 2}`
    const lines = [
      `  - position_id: ${id}`,
      `    title: Seat ${index}`,
      `    role: developer`,
      `    level: ${Math.min(100, 1 + Math.floor(Math.log(index + 1) / Math.log(4)))}`,
      `    reports_to: ${above}`,
      `    escalates_to: ${above}`,
      `    is_cross_cutting: false`,
    ]
    if (index % 2 === 1) lines.push('    assignment: null')
    else
      lines.push(
        '    assignment:',
        `      persona_assignment_id: ${id}`,
        `      persona_id: ${id + 2}`,
        `      persona_slug: developer-p${index}-${id + 2}`,
        `      persona_name: P${index}`,
        '      persona_role: developer',
        '      persona_status: active',
        '      assigned_at: 2026-02-15T10:00:00.000Z',
      )
    if (index % 5 === 0)
      lines.push(
        '    authority:',
        '      - kind: spend_per_day',
        '        limit: 10',
        '        unit: EUR',
        '        on_breach: gate',
      )
    return lines.join('\n')
  })
  return `organisation:
  name: ${name}
  purpose: bench
roles:
  - name: developer
positions:
${seats.join('\n')}
`
}
