import { readdirSync, readFileSync } from 'node:fs'

/** A box seen from outside: bubblewrap, the first process of its namespace, ours within it, and whatever else runs there. */
export interface BoxProcesses {
  /** Whose end is the end of everything in the box. */
  readonly first: number | null
  /** Started our `init`, it hands signals on. */
  readonly init: number | null
  readonly others: readonly number[]
}

/** By descent: orphans of a box become children of its first process, so nobody gets out of this tree. */
export function processesOf(pid: number): BoxProcesses {
  const children = childrenByParent()
  const first = children.get(pid)?.[0] ?? null
  if (first === null) return { first, init: null, others: [] }
  const below = descendants(first, children)
  const init = (children.get(first) ?? []).find((each) => numberInside(each) === 2) ?? null
  return { first, init, others: below.filter((each) => each !== init) }
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
  // The second field is the program's name, which may hold spaces and brackets: count from its end.
  const [state, parent] = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' ? null : Number(parent)
}

function descendants(pid: number, children: ReadonlyMap<number, readonly number[]>): number[] {
  const found: number[] = []
  const waiting = [...(children.get(pid) ?? [])]
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    found.push(each)
    waiting.push(...(children.get(each) ?? []))
  }
  return found
}

/** What the process is called in its own namespace. */
function numberInside(pid: number): number | null {
  const numbers = /^NSpid:\s*(.+)$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]?.split(/\s+/)
  return numbers === undefined || numbers.length < 2 ? null : Number(numbers.at(-1))
}

/** What these hold in memory, in MB: their own, what they share among each other, and the largest program file once. */
export function memoryOf(pids: readonly number[]): number {
  let own = 0
  let largestFile = 0
  for (const pid of pids) {
    const status = read(`/proc/${pid}/status`) ?? ''
    own += kilobytes(status, 'RssAnon') + kilobytes(status, 'RssShmem')
    largestFile = Math.max(largestFile, kilobytes(status, 'RssFile'))
  }
  return (own + largestFile) / 1024
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
