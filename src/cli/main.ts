#!/usr/bin/env node
// Nothing is loaded before this that an older Node could stumble over.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `error: Agency needs Node 22.18 or newer, this is ${process.versions.node}\n  Install one from https://nodejs.org, or through your package manager.\n`,
  )
  process.exit(1)
}

cacheCompiledCode()
const { runCommandLine } = await import('./run.ts')
await runCommandLine(process.argv.slice(2))

/** In the home, where nobody else can plant code; a command that needs no home makes none. */
function cacheCompiledCode(): void {
  const home = process.env['AGENCY_HOME'] || `${process.env['HOME']}/.agency`
  if (process.getBuiltinModule('node:fs').existsSync(home))
    process.getBuiltinModule('node:module').enableCompileCache(`${home}/cache`)
}
