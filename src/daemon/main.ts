import { cacheCompiledCode } from '../cli/compile-cache.ts'
import { closeInheritedDescriptors } from '../processes/inherited-descriptors.ts'

closeInheritedDescriptors()
// Nothing else is imported before the cache is on, because only code that is loaded afterwards comes from it.
cacheCompiledCode()
await import('./run.ts')
