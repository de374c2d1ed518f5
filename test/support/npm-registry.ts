import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

/** A package: its manifest and its files. */
export interface RegistryPackage {
  readonly name: string
  readonly version?: string
  readonly scripts?: Record<string, string>
  readonly files?: Record<string, string>
}

export interface Registry {
  readonly address: string
  readonly host: string
  /** The settings with which npm finds the registry and may use it. */
  readonly npmrc: string
  /** Paths of the requests so far. */
  readonly requests: string[]
  /** Returns the files of a project that depends on all packages of the registry. */
  project(manifest?: Record<string, unknown>): Record<string, string>
  /** Returns the first version of a package as a file. */
  tarball(name: string): Buffer
  close(): Promise<void>
}

const token = 'registry-token-0123456789'

/**
 * Starts a registry of npm packages that requires a token. Its address is not 127.0.0.1, because programs in a box reach
 * that one without their proxy, and there it is the box itself.
 */
export async function startRegistry(packages: readonly RegistryPackage[]): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'agency-registry-'))
  const host = '127.0.0.2'
  const requests: string[] = []
  const tarballs = new Map(
    packages.map((each) => [`/${each.name}/-/${each.name}-${versionOf(each)}.tgz`, pack(folder, each)]),
  )
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const found = tarballs.get(request.url ?? '')
    if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end('{}')
    else if (found === undefined) response.writeHead(404).end('{}')
    else response.end(found)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = `http://${host}:${(server.address() as AddressInfo).port}`
  let closed: Promise<void> | null = null
  const close = (): Promise<void> =>
    (closed ??= new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    }))
  onTestFinished(async () => {
    await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const dependencies = Object.fromEntries(packages.map((each) => [each.name, versionOf(each)]))
  return {
    address,
    host,
    requests,
    close,
    tarball: (name) => tarballs.get(`/${name}/-/${name}-1.0.0.tgz`) as Buffer,
    npmrc: `registry=${address}/\n//${address.slice('http://'.length)}/:_authToken=${token}\n`,
    project: (more = {}) => {
      const manifest = { name: 'project', version: '1.0.0', dependencies, ...more }
      const { scripts, ...root } = manifest as Record<string, unknown>
      const locked = packages.map((each) => {
        const path = `/${each.name}/-/${each.name}-${versionOf(each)}.tgz`
        const integrity = `sha512-${createHash('sha512')
          .update(tarballs.get(path) as Buffer)
          .digest('base64')}`
        const entry = { version: versionOf(each), resolved: `${address}${path}`, integrity }
        return [`node_modules/${each.name}`, each.scripts === undefined ? entry : { ...entry, hasInstallScript: true }]
      })
      const lockfile = {
        name: 'project',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': scripts === undefined ? root : { ...root, hasInstallScript: true },
          ...Object.fromEntries(locked),
        },
      }
      return { 'package.json': JSON.stringify(manifest), 'package-lock.json': JSON.stringify(lockfile) }
    },
  }
}

const versionOf = ({ version = '1.0.0' }: RegistryPackage): string => version

function pack(folder: string, each: RegistryPackage): Buffer {
  const { name, scripts = {}, files = { 'index.js': `module.exports = '${name}'\n` } } = each
  const root = join(folder, name)
  mkdirSync(join(root, 'package'), { recursive: true })
  const manifest = { name, version: versionOf(each), scripts }
  writeFileSync(join(root, 'package', 'package.json'), JSON.stringify(manifest))
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, 'package', path), text)
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: root })
  return readFileSync(join(root, 'package.tgz'))
}
