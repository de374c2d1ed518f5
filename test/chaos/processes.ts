import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface HomeProcess {
  readonly pid: number
  readonly command: string
  /** Null if it is neither an agent nor a command of one. */
  readonly launchId: string | null
}

/** Finds every process of a home by its environment or working directory, without the product's help. */
export function processesOf(home: string): HomeProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name): HomeProcess[] => {
      const environment = readProc(`/proc/${name}/environ`)
      const belongs = environment.includes(`AGENCY_HOME=${home}\0`) || directoryOf(name).startsWith(home)
      if (!belongs) return []
      const launchId = /(?:^|\0)AGENCY_LAUNCH_ID=([^\0]+)/.exec(environment)?.[1] ?? null
      const command = readProc(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim()
      return [{ pid: Number(name), command, launchId }]
    })
}

/** Returns an empty text for a process that has just ended, and for a zombie. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function directoryOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
