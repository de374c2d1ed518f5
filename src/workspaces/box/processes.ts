import { readdirSync, readFileSync } from 'node:fs'

/** The processes of a box as seen from outside. */
export interface BoxProcesses {
  /** The first process of its namespace, our init; its exit ends everything in the box. */
  readonly first: number | null
  /** The command and its descendants. */
  readonly others: readonly number[]
  readonly forwarder: number | null
}

/**
 * Finds processes by descent: orphans of a box become children of its first process, so no process leaves this tree. The
 * forwarder is ours, not the command's; init starts it before everything else. Zombies do not count.
 */
export function processesOf(pid: number, hasForwarder = false): BoxProcesses {
  const children = childrenByParent()
  const first = children.get(pid)?.[0] ?? null
  if (first === null) return { first, others: [], forwarder: null }
  const forwarder = hasForwarder ? (children.get(first) ?? []).find((each) => pidInside(each) === 2) : undefined
  const others = descendants(first, children).filter((each) => each !== forwarder)
  return { first, others, forwarder: forwarder ?? null }
}

/** New processes appear while others are stopped; more passes than this are needed by none but a flood of them. */
const maxPasses = 50

/** Calls a function while the processes of a box are stopped. A process that was stopped before stays so. */
export async function whileStopped<Value>(pid: number, look: () => Promise<Value>): Promise<Value> {
  const stopped = new Set<number>()
  for (let pass = 0, quiet = 0; pass < maxPasses && quiet < 2; pass += 1) {
    const running = processesOf(pid).others.filter((each) => !stopped.has(each) && !isStopped(each))
    quiet = running.length === 0 ? quiet + 1 : 0
    for (const each of running) {
      stopped.add(each)
      signal(each, 'SIGSTOP')
    }
  }
  try {
    return await look()
  } finally {
    for (const each of stopped) signal(each, 'SIGCONT')
  }
}

const isStopped = (pid: number): boolean => /^State:\s*[Tt]/m.test(read(`/proc/${pid}/status`) ?? '')

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has exited.
  }
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    if (parent === null) continue
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [Number(name)])
    else siblings.push(Number(name))
  }
  return children
}

function parentOf(pid: string): number | null {
  const line = read(`/proc/${pid}/stat`)
  if (line === null) return null
  // The second field is the program's name, which may contain spaces and brackets: count from its end.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state, parent, threads] = [fields[0], fields[1], fields[17]]
  // A process whose first thread has exited looks like a zombie, but its other threads go on.
  return state === 'Z' && Number(threads) < 2 ? null : Number(parent)
}

function descendants(pid: number, children: ReadonlyMap<number, readonly number[]>): number[] {
  const found: number[] = []
  const pending = [...(children.get(pid) ?? [])]
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    found.push(each)
    pending.push(...(children.get(each) ?? []))
  }
  return found
}

/** Returns the pid of a process in its own namespace. */
function pidInside(pid: number): number | null {
  const numbers = /^NSpid:\s*(.+)$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]?.split(/\s+/)
  return numbers === undefined || numbers.length < 2 ? null : Number(numbers.at(-1))
}

export interface ProcessUse {
  /**
   * The private memory, with what was swapped out and the tables of pages, which a process that only reads can make as
   * large as memory; and the largest program file once.
   */
  readonly ownMb: number
  readonly sharedMb: number
  /** Processes and their threads. */
  readonly tasks: number
}

export function useOf(pids: readonly number[]): ProcessUse {
  let [own, shared, largestFile, tasks] = [0, 0, 0, 0]
  for (const pid of pids) {
    const status = statusOf(pid)
    for (const name of ['RssAnon', 'VmSwap', 'VmPTE']) own += kilobytes(status, name)
    shared += kilobytes(status, 'RssShmem')
    largestFile = Math.max(largestFile, kilobytes(status, 'RssFile'))
    tasks += Number(/^Threads:\s*(\d+)$/m.exec(status)?.[1] ?? 0)
  }
  return { ownMb: (own + largestFile) / 1024, sharedMb: shared / 1024, tasks }
}

/** Returns the status of a process; if its first thread has exited, that of another thread, which still has memory. */
function statusOf(pid: number): string {
  const status = read(`/proc/${pid}/status`) ?? ''
  if (!/^State:\s*Z/m.test(status)) return status
  const others = threadsOf(pid).map((thread) => read(`/proc/${pid}/task/${thread}/status`) ?? '')
  return others.find((each) => each.includes('RssAnon:')) ?? status
}

/** Returns the threads of a process; none if it has exited. */
export function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

const kilobytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0)

function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return null
  }
}
