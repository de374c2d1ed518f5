import { readFileSync } from 'node:fs'

/** Whether a process still runs. A dead one that nobody has collected yet keeps its number, but does not. */
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
    // Without /proc at all there is only the first answer; with it, the process has just gone.
    return process.platform !== 'linux' && (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}
