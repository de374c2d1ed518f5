/** The directory of a brief. Its files are an agent's: every path is resolved, links and all, before it is believed. */
export interface Workspace {
  /** Absolute; for an in-memory workspace a name that no process could open. */
  readonly path: string
  /** Whether what runs in it is in a box. */
  readonly boxed: boolean
  /** What programs in it find as their HOME: it lasts from one attempt of a brief to the next, and is never committed. */
  readonly home: string
  /** A regular file inside the workspace, or null: missing, a directory, a link that leads outside, or too large to look at. */
  read(path: string, maxBytes: number): Promise<WorkspaceFile | null>
  write(path: string, text: string): Promise<void>
  /** Runs a shell command in it; output is cut at `maxOutputBytes` but hashed whole. */
  run(command: string, limits: CommandLimits): Promise<CommandResult>
  /** How a process is started in it: wrapped into the box where there is one, as it is otherwise. */
  enter(entry: ProcessSpec): Promise<PreparedProcess>
}

export interface ProcessSpec {
  readonly command: readonly [program: string, ...args: string[]]
  /** Everything that it gets to see; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>
  /** Further files and directories that it may read: its own program, for one. */
  readonly readable?: readonly string[]
  /** Servers of this machine that it may reach, each at its own 127.0.0.1:<port>: a model server, for one. */
  readonly forwards?: readonly Forward[]
  /** It speaks with nobody, not even with us: no door is opened for it, and it starts sooner. */
  readonly offline?: boolean
  /** An open file of the process in which the box says how the command began and ended; see `startInWorkspace`. */
  readonly statusFd?: number
}

export interface Forward {
  readonly port: number
  /** Where the box's connections to that port lead: `127.0.0.1:<port>`, unless said otherwise. */
  readonly host?: string
}

export interface PreparedProcess {
  readonly command: readonly [program: string, ...args: string[]]
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly boxed: boolean
  /** Whether it says in `ProcessSpec.statusFd` how the command began and ended. */
  readonly hasStatus: boolean
  /** Begins to look at its limits. What exceeds one is killed with everything in the box, then `breached` is called, once. */
  watch(pid: number, breached: (breach: Breach) => void): void
  /** To the command and what it started; SIGKILL ends everything in the box. `pid` is that of the started process. */
  signal(pid: number, signal: NodeJS.Signals): void
  /** Closes its doors once it has ended; resolves to the most that it used, or null where nobody looked. */
  leave(): Promise<ResourceUse | null>
}

export interface Breach {
  readonly limit: 'processes' | 'memory' | 'disk'
  readonly used: number
  readonly allowed: number
}

/** The most that was seen of it. */
export interface ResourceUse {
  readonly memoryMb: number
  readonly processes: number
  readonly diskMb: number
  /** Files of ours in the workspace that it changed; they are again as they were. A box prevents it. */
  readonly violations?: string[]
}

export interface WorkspaceFile {
  readonly bytes: number
  readonly sha256: string
  /** At most `maxBytes` from the beginning, as text. */
  readonly text: string
}

export interface CommandLimits {
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** Ends it before its time, with everything that it started. */
  readonly signal?: AbortSignal
}

export interface CommandResult {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly output: string
  readonly outputSha256: string
  readonly durationMs: number
  readonly boxed: boolean
  /** The most that it used, where somebody looked. */
  readonly used?: ResourceUse
}

/** Which workspace is wanted, by whom. */
export interface WorkspaceRequest {
  /** Of the brief whose files these are. */
  readonly id: string
  readonly runId: string
  /** Commands that run in it carry the attempt as AGENCY_LAUNCH_ID, like its agent: one that outlives us is found by it. */
  readonly attemptId?: string | null
  /** Whether what runs in it is put into the box, where there is one. */
  readonly box?: boolean
  /** A workspace that was made for a mission, below the workspace root, instead of a directory of the brief's own. */
  readonly directory?: string | null
  /** Made as a clone of this mirror, on this branch. */
  readonly clone?: CloneRequest | null
  readonly policy?: WorkspacePolicy
}

export interface CloneRequest {
  /** A bare repository of ours; the clone shares its objects and cannot write to it. */
  readonly mirror: string
  readonly branch: string
  /** The commit from which the branch starts. */
  readonly start: string
}

/** What may be done from inside; a box enforces it, without one it is only looked at afterwards. */
export interface WorkspacePolicy {
  readonly network: {
    readonly allowed: boolean
    /** Hosts; none: everyone who is not blocked. */
    readonly allow: readonly string[]
    readonly block: readonly string[]
    /** Hosts that may have an address of the machine's own network; without them, none may. */
    readonly private?: readonly string[]
  }
  readonly limits: { readonly maxProcesses: number; readonly maxMemoryMb: number; readonly maxDiskMb: number }
}

export interface Workspaces {
  /** Makes the directory if it is not there yet; a second attempt finds the first one's files, but an empty outbox. */
  prepare(place: WorkspaceRequest): Promise<Workspace>
  /** Removes it with its HOME, if it is there; `before` may still look at it. A mission's own stays. */
  remove(place: WorkspaceRequest, before?: (workspace: Workspace) => Promise<void>): Promise<void>
}
