import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { createTestCli, type TestCli } from '../support/cli.ts'

const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** A folder outside any project, with the package installed in it. */
let folder: string
let installed: string
let cli: TestCli

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agency-package-'))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string
  // Offline, because the package contains everything that it needs.
  const flags = ['--offline', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', ...flags, `./${archive}`], { cwd: folder })
  installed = join(folder, 'node_modules/agency-os')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeEach(() => {
  cli = createTestCli(join(folder, 'node_modules/.bin/agency'))
})
afterEach(() => cli.remove())

describe('the package', () => {
  it('is a folder of bundles without dependencies', () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['agency-os'])
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => /\.tsx?$/.test(name))).toEqual([])
  })

  it('contains the licences of all bundled packages', () => {
    const licences = readFileSync(join(installed, 'dist/licences.txt'), 'utf8')
    for (const name of ['commander', 'hono', 'pg', 'react', 'zod'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  })

  it('does not contain the path of its build', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    const telling = files.filter((name) => /\.(mjs|js|html|css)$/.test(name) && bundle(name).includes(root))
    expect(telling).toEqual([])
  })

  it('prints its version and its help', async () => {
    expect(await cli.text('--version')).toBe(`${version}\n`)
    expect(await cli.text('--help')).toContain('agency')
    expect(existsSync(join(cli.home, 'store.db'))).toBe(false)
  })

  it('runs a mission from start to stop', async () => {
    expect(await cli.text('up')).toMatch(/http:\/\/agency-\w+\.localhost:\d+\/enter/)
    const status = await cli.json<Status>('status')
    expect(status).toMatchObject({ version, store: { kind: 'sqlite' }, home: realpathSync(cli.home) })

    const words = ['Write a haiku about rivers into poem.txt', '--playbook', 'direct', '--runtime', 'scripted']
    const run = (await cli.text('run', ...words, '--evidence', 'file:poem.txt')).trim()
    expect(await cli.text('watch', run)).toContain('evidence checked')
    const inspected = await cli.json<Inspected>('inspect', run)
    expect(inspected).toMatchObject({ status: 'done', run: { simulated: true } })
    expect(inspected.evidence.map((check) => check.passed)).toEqual([true])

    expect(await cli.text('down')).toContain(`stopped (pid ${status.pid})`)
    expect((await cli.run('doctor', '--audit', '--replay')).code).toBe(0)
  })

  it('serves its dashboard', async () => {
    await cli.text('up')
    const link = (await cli.text('open', '--numeric')).trim()
    const html = await (await fetch(new URL('/enter', link))).text()
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] as string
    const answer = await fetch(new URL(script, link))
    expect(answer.headers.get('content-type')).toContain('javascript')
    expect((await answer.text()).length).toBeGreaterThan(10_000)
  })
})

interface Status {
  pid: number
}
interface Inspected {
  evidence: { passed: boolean }[]
}

const bundle = (name: string): string => readFileSync(join(installed, 'dist', name), 'utf8')
