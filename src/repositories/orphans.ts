import { readdir, readFile } from 'node:fs/promises'

/**
 * Kills git processes that still work on a directory: one that has outlived its daemon would continue to write there.
 */
export async function killGitsOn(gitDir: string): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => ((await wordsOf(pid)).includes(`--git-dir=${gitDir}`) ? pid : null)),
  )
  const killed = found.filter((pid) => pid !== null).filter((pid) => kill(Number(pid)))
  return killed.length
}

const wordsOf = async (pid: string): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
