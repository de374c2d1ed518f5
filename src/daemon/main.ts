import { cacheCompiledCode } from '../cli/compile-cache.ts'

// Nothing else is imported before the cache is on, because only code that is loaded afterwards comes from it.
cacheCompiledCode()
await import('./run.ts')
