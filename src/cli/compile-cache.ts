/** Caches compiled code in the home, where no other account can plant code; does not create a missing home. */
export function cacheCompiledCode(): void {
  const home = process.env['AGENCY_HOME'] || `${process.env['HOME']}/.agency`
  const { existsSync, mkdirSync } = process.getBuiltinModule('node:fs')
  if (!existsSync(home)) return
  // Node would create it with the permissions of the shell, which may let others of the user's group write.
  mkdirSync(`${home}/cache`, { recursive: true, mode: 0o700 })
  process.getBuiltinModule('node:module').enableCompileCache(`${home}/cache`)
}
