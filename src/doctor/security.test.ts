import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { freshFolder, rawSql } from '../../test/support/store.ts'
import { homePaths, prepareHome } from '../daemon/home.ts'
import { openStore } from '../db/open.ts'
import { systemClock } from '../kernel/clock.ts'
import { seedOrganisation } from '../org/seed.ts'
import type { Finding } from './finding.ts'
import { examineSecurity } from './security.ts'

/** Examines a home with this configuration; `prepare` changes its files before. */
async function examined(
  config: string,
  prepare: (home: string) => void = () => {},
  env: Record<string, string> = { PATH: '' },
): Promise<Map<string, Finding>> {
  const paths = homePaths({ AGENCY_HOME: join(freshFolder(), 'home') })
  prepareHome(paths)
  writeFileSync(paths.config, config, { mode: 0o600 })
  prepare(paths.home)
  const findings = await examineSecurity({ paths, env, clock: systemClock })
  return new Map(findings.map((finding) => [finding.name, finding]))
}

describe('agency doctor --security', () => {
  it('finds a closed home, a narrow network and no hole', async () => {
    const found = await examined('box: required\nnetwork: {allow: [registry.example.org]}\n')
    expect(found.get('network')).toMatchObject({ status: 'ok', detail: 'boxes reach registry.example.org' })
    for (const name of ['home', 'files', 'outside a box', 'shown to boxes', 'store'])
      expect(found.get(name), name).toMatchObject({ status: 'ok' })
  })

  it('warns of an open network', async () => {
    expect((await examined('')).get('network')).toMatchObject({ status: 'warn' })
    const closed = await examined('box: required\nnetwork: {allowed: false}\n')
    expect(closed.get('network')).toMatchObject({ status: 'ok' })
  })

  it('claims no boundary of a box where agents run without one', async () => {
    const bin = freshFolder()
    writeFileSync(join(bin, 'claude'), '', { mode: 0o755 })
    const found = await examined('box: off\nnetwork: {allowed: false}\n', () => {}, {
      PATH: bin,
      ANTHROPIC_API_KEY: 'x',
    })
    for (const name of ['limits', 'network', 'agent keys'])
      expect(found.get(name), name).toMatchObject({
        status: 'warn',
        detail: expect.stringContaining('no box') as string,
      })
    expect(found.has('shown to boxes')).toBe(false)
  })

  it('names every key that a boxed agent gets from the environment, but not the one that the door adds', async () => {
    const bin = freshFolder()
    writeFileSync(join(bin, 'claude'), '', { mode: 0o755 })
    const keys = {
      ANTHROPIC_API_KEY: 'x',
      AWS_SECRET_ACCESS_KEY: 'y',
      ANTHROPIC_CUSTOM_HEADERS: 'x-key: z',
      OTHER: 'w',
    }
    const detailOf = async (names: string): Promise<string | undefined> =>
      (
        await examined(`claude: {environment: [${names}]}`, () => {}, {
          PATH: `${bin}:${process.env['PATH']}`,
          ...keys,
        })
      )
        .get('agent keys')
        ?.detail.replace(/: there is no box$/, '')
    const shown = await detailOf('ANTHROPIC_API_KEY, AWS_SECRET_ACCESS_KEY, ANTHROPIC_CUSTOM_HEADERS, OTHER')
    expect(shown).toMatch(/can read (?:ANTHROPIC_API_KEY, )?AWS_SECRET_ACCESS_KEY, ANTHROPIC_CUSTOM_HEADERS$/)
  })

  it('names every setting by which code runs outside a box', async () => {
    const found = await examined(
      'box: off\nallow_unsandboxed_yolo: true\nchecks: {host: [{repository: /srv/shop, commands: [make]}]}\n',
    )
    expect(found.get('outside a box')).toMatchObject({ status: 'warn' })
    expect(found.get('outside a box')?.detail).toMatch(/box: off.*allow_unsandboxed_yolo.*\/srv\/shop/)
  })

  it('names files of the home that other users may read', async () => {
    const found = await examined('', (home) => {
      writeFileSync(join(home, 'store.db'), '')
      chmodSync(join(home, 'store.db'), 0o644)
    })
    expect(found.get('files')).toMatchObject({ status: 'warn' })
    expect(found.get('files')?.detail).toMatch(/store\.db$/)
  })

  it('warns of a database on another machine without TLS', async () => {
    const url = 'postgres://agency@db.example.org/agency'
    expect((await examined(`database_url: ${url}\n`)).get('store')).toMatchObject({ status: 'warn' })
    const found = await examined(`database_url: ${url}?sslmode=verify-full\n`)
    expect(found.get('store')).toMatchObject({ status: 'ok', detail: 'PostgreSQL over TLS' })
  })

  it('reports the rights that the store gives', async () => {
    const paths = homePaths({ AGENCY_HOME: join(freshFolder(), 'home') })
    prepareHome(paths)
    const store = { kind: 'sqlite', path: paths.store } as const
    const db = await openStore(store, { clock: systemClock, chainKey: new Uint8Array(32) })
    await seedOrganisation(db)
    await db.close()
    const examine = async () =>
      new Map((await examineSecurity({ paths, env: {}, clock: systemClock })).map((each) => [each.name, each]))
    const found = await examine()
    expect(found.get('governance')).toMatchObject({ status: 'ok' })
    expect([found.get('trusted files')?.detail, found.get('browsers')?.detail]).toEqual(['none', 'none is signed in'])
    await rawSql(
      store,
      "INSERT INTO organisation_settings (organisation_id, key, value) VALUES (1, 'governance', 'advise')",
    )
    expect((await examine()).get('governance')).toMatchObject({ status: 'warn' })
  })

  it('fails on a configuration that cannot be read', async () => {
    expect((await examined('box: maybe\n')).get('config')).toMatchObject({ status: 'fail' })
  })
})
