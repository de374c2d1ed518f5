/** Caches compiled code in the home, where no other account can plant code; does not create a missing home. */
export function cacheCompiledCode(): void {
  const home = process.env['AGENCY_HOME'] || `${process.env['HOME']}/.agency`
  const { chmodSync, existsSync, mkdirSync } = process.getBuiltinModule('node:fs')
  if (!existsSync(home)) return
  try {
    // Node would create it with the permissions of the shell, which may let others of the user's group write.
    mkdirSync(`${home}/cache`, { recursive: true, mode: 0o700 })
    chmodSync(`${home}/cache`, 0o700)
  } catch {
    // The command itself explains why the home cannot be used, and it runs without a cache until then.
    return
  }
  process.getBuiltinModule('node:module').enableCompileCache(`${home}/cache`)
}
