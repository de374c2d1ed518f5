import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { entryPath } from '../../entries.ts'
import { shellCommand } from '../quote.ts'

/** Writes the few files that every box has in place of the machine's own. */
export async function writeEtcFiles(directory: string): Promise<void> {
  await mkdir(join(directory, 'bin'), { recursive: true, mode: 0o700 })
  await Promise.all(
    Object.entries(texts).map(([name, text]) => writeFile(join(directory, name), text, { mode: 0o600 })),
  )
  const agency = join(directory, 'bin', 'agency')
  const start = `exec ${shellCommand([process.execPath, entryPath('agency')])} "$@"`
  // It uses only its socket, and starts in half the time without the proxy.
  await writeFile(agency, `#!/bin/sh\nunset NODE_USE_ENV_PROXY\n${start}\n`)
  await chmod(agency, 0o700)
}

const texts = {
  passwd: 'agent:x:1000:1000:agent:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
  group: 'agent:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
}
