#!/usr/bin/env node
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

/** Caches compiled code in the home, where no other account can plant code; does not create a missing home. */
function cacheCompiledCode(): void {
  const home = process.env['AGENCY_HOME'] || `${process.env['HOME']}/.agency`
  if (process.getBuiltinModule('node:fs').existsSync(home))
    process.getBuiltinModule('node:module').enableCompileCache(`${home}/cache`)
}
