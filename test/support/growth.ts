/**
 * Returns how many times longer a work of four times the size takes: about 4 if its time is proportional to its size, 16
 * if it is quadratic. Only the time of this thread counts, because on a busy machine it waits for others; works that take
 * less than some milliseconds count alike.
 */
export function growthOf(work: (size: number) => void, size: number): number {
  const time = (at: number): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const from = process.threadCpuUsage()
        work(at)
        const { user, system } = process.threadCpuUsage(from)
        return (user + system) / 1_000
      }),
    )
  return time(4 * size) / Math.max(time(size), leastMs)
}

const leastMs = 20
