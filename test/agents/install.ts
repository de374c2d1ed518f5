import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const declaration = new URL('package.json', import.meta.url)

/** `modules` is the folder with all declared packages. */
export type Installed = { readonly path: string; readonly modules: string } | { readonly missing: string }

/** Installs Claude Code in the version declared here into a cache outside the checkout, unless it is there already. */
export function installClaude(): Installed {
  const declared = readFileSync(declaration, 'utf8')
  const { dependencies } = JSON.parse(declared) as { dependencies: Record<string, string> }
  const version = dependencies['@anthropic-ai/claude-code'] ?? ''
  const folder = join(cacheFolder(), createHash('sha256').update(declared).digest('hex').slice(0, 16))
  if (!existsSync(binaryIn(folder))) {
    const failure = install(folder)
    if (failure !== null) return { missing: `Claude Code ${version} cannot be installed (${failure})` }
  }
  const result = spawnSync(binaryIn(folder), ['--version'], { env: { HOME: '/nonexistent' }, encoding: 'utf8' })
  if (result.stdout?.startsWith(version)) return { path: binaryIn(folder), modules: join(folder, 'node_modules') }
  return { missing: `Claude Code ${version} does not run here (${result.error?.message ?? result.stderr.trim()})` }
}

const binaryIn = (folder: string): string => join(folder, 'node_modules', '.bin', 'claude')

function cacheFolder(): string {
  const named = process.env['XDG_CACHE_HOME']
  if (named) return join(named, 'agency-test-agents')
  const home = homedir()
  return home !== '' && existsSync(home)
    ? join(home, '.cache', 'agency-test-agents')
    : join(tmpdir(), `agency-test-agents-${userInfo().uid}`)
}

/** Installs into a draft folder first: two runs may install at once, and a killed one leaves no half installation. */
function install(folder: string): string | null {
  mkdirSync(join(folder, '..'), { recursive: true })
  const draft = mkdtempSync(`${folder}-`)
  try {
    cpSync(declaration, join(draft, 'package.json'))
    console.log(`installing Claude Code into ${folder}`)
    const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'], {
      cwd: draft,
      encoding: 'utf8',
      timeout: 300_000,
    })
    if (npm.status !== 0) return npm.error?.message ?? (npm.stderr.trim().split('\n').at(0) || 'npm failed')
    if (!existsSync(folder)) renameSync(draft, folder)
    return null
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
