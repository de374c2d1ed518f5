/** Caches compiled code in the home, where no other account can plant code; does not create a missing home. */
export function cacheCompiledCode(): void {
  const home = process.env['AGENCY_HOME'] || `${process.env['HOME']}/.agency`
  if (process.getBuiltinModule('node:fs').existsSync(home))
    process.getBuiltinModule('node:module').enableCompileCache(`${home}/cache`)
}
