import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { bugs } from './all.ts'

/** Tries each bug in its worlds, in a process of its own, since an injected bug cannot be removed. Resolves with an exit code. */
export async function tryBugs(seeds: number, start: number): Promise<0 | 1> {
  let exit: 0 | 1 = 0
  for (const [name, { description }] of Object.entries(bugs)) {
    const { found, output } = await tryBug(name, seeds, start)
    console.log(`${found ? 'found' : 'NOT FOUND'} ${name}: ${description}`)
    console.log(`  ${output.split('\n')[0]?.slice(0, 200)}`)
    if (!found) exit = 1
  }
  return exit
}

export function tryBug(name: string, seeds: number, start = 1): Promise<{ found: boolean; output: string }> {
  return new Promise((resolve) => {
    const options = ['--bug', name, '--seeds', String(seeds), '--start', String(start), '--jobs', '1']
    const child = execFile(process.execPath, [main, ...options], (_, output) =>
      resolve({ found: child.exitCode === 1 && /^seed \d+ breaks ".+": /.test(output), output }),
    )
  })
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
