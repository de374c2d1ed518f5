#!/usr/bin/env node
import { cacheCompiledCode } from './compile-cache.ts'

// Nothing is loaded before this check that an older Node could fail on.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `error: Agency needs Node 22.18 or newer, this is ${process.versions.node}\n  Install a newer version from https://nodejs.org, or through your package manager.\n`,
  )
  process.exit(1)
}

cacheCompiledCode()
const { runCommandLine } = await import('./run.ts')
await runCommandLine(process.argv.slice(2))
