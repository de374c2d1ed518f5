/**
 * Sends the signal to the process group that `pid` leads. Returns false when no process of the group is left,
 * or when the process was never started (`pid` is undefined).
 */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals | 0 = 'SIGKILL'): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
