import { readFileSync } from 'node:fs'

/** Reports whether a process still runs. A zombie keeps its process id but counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z'
  } catch (error) {
    // A system without /proc has only the first answer; with /proc, the process has just ended.
    return process.platform !== 'linux' && (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}
