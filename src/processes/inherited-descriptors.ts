import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC in the flags of a descriptor, as /proc shows them. */
const closeOnExec = 0o2_000_000

/**
 * Closes the descriptors that this process has inherited beyond its standard streams. Every process that it starts would
 * inherit them in turn, and one of a directory opens everything below it, past the mounts of a box. Node and its libraries
 * mark their own descriptors as closed on exec, so the others come from the caller, such as `exec 200>lock` of a shell.
 * A system without /proc has no box either.
 */
export function closeInheritedDescriptors(): void {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name)
    if (descriptor <= 2 || !isInherited(descriptor)) continue
    closeSync(descriptor)
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // It was the one by which the directory was read.
    return false
  }
}
