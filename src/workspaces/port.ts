/**
 * The directory of a brief. Its files are written by an agent: every path is resolved, including links, before it is
 * trusted.
 */
export interface Workspace {
  /** Absolute; for an in-memory workspace a name that no process can open. */
  readonly path: string
  /** Whether processes in it run in a box. */
  readonly boxed: boolean
  /**
   * The HOME of programs in it: it persists from one attempt of a brief to the next until the workspace is removed, and
   * is never committed.
   */
  readonly home: string
  /** Until its first command, its files are those of its commit, or a part of them. */
  readonly isCleanClone?: boolean
  /**
   * Reads a regular file inside the workspace; null if it is missing, a directory, a link that leads outside, or too
   * large, alone or with the files that the same look has read before.
   */
  read(path: string, maxBytes: number, look?: Look): Promise<WorkspaceFile | null>
  /** Opens a regular file inside the workspace for reading in parts; null if `read` would find none. */
  source(path: string): Promise<FileSource | null>
  write(path: string, text: string): Promise<void>
  /** Runs a shell command in it; the output is cut at `maxOutputBytes`, but hashed completely. */
  run(command: string, limits: CommandLimits): Promise<CommandResult>
  /** Prepares a process to start in it: wrapped into the box if there is one, unchanged otherwise. */
  enter(spec: ProcessSpec): Promise<PreparedProcess>
}

/** A file that is read in parts, however large it is. */
export interface FileSource {
  readonly bytes: number
  /** Reads from a byte on, up to another. Rejects if the file has changed since the source was made. */
  read(from?: number, to?: number): AsyncIterable<Buffer>
}

/** One look at the files of an agent: how much it may still read, and the files that it has hashed. */
export interface Look {
  /** Ends the reading of a file early. */
  readonly signal: AbortSignal | undefined
  remainingBytes: number
  /** By the identity and the version of a file: each is read once, however many names it has. */
  readonly hashed: Map<string, WorkspaceFile>
}

export interface ProcessSpec {
  readonly command: readonly [program: string, ...args: string[]]
  /** The complete environment of the process; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>
  /** Servers of this machine that it may reach, each at its own 127.0.0.1:<port>, such as a model server. */
  readonly forwards?: readonly Forward[]
  /** It needs no connection, not even to the daemon: no socket is opened for it, and it starts faster. */
  readonly offline?: boolean
}

export interface Forward {
  readonly port: number
  /** The target of the box's connections to that port: `127.0.0.1:<port>` by default. */
  readonly host?: string
  /** Requests to that port go to this server instead, with a key that the box does not have. */
  readonly keyed?: KeyedServer
}

/** An HTTP server that requires a key. */
export interface KeyedServer {
  /** Only this address and paths below it can be reached. */
  readonly url: string
  /** The headers that hold the key, with their values; a header that a request has is replaced. */
  readonly headers: Readonly<Record<string, string>>
}

export interface PreparedProcess {
  readonly command: readonly [program: string, ...args: string[]]
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly boxed: boolean
  /** Words of the command that name files of this machine which its box does not show. */
  readonly hidden?: readonly string[]
  /** The first process of its box, which reports the start and the exit of the command; null: there is none. */
  readonly init: BoxInit | null
  /**
   * Starts to watch its limits. A process that exceeds one is killed with everything in the box, then `breached` is
   * called, once.
   */
  watch(pid: number, breached: (breach: Breach) => void): void
  /**
   * Signals the command and its descendants; SIGKILL ends everything in the box. `pid` is that of the started process.
   */
  signal(pid: number, signal: NodeJS.Signals): void
  /** Called at its exit, before that is judged: calls `breached` if the kernel has ended a process for a limit. */
  settle?(): void
  /** Closes its sockets after its exit; resolves to its peak resource use, or null if it was not watched. */
  leave(): Promise<ResourceUse | null>
}

/** The daemon learns how a command ended only from the box's first process, which the command cannot reach. */
export interface BoxInit {
  /** It is sent to the first process before anything else. */
  readonly plan: string
  /** Every line of the first process begins with it; the command never sees it. */
  readonly secret: string
  /** The file with the box's filter of system calls. */
  readonly filter: string
}

export interface Breach {
  readonly limit: 'processes' | 'memory' | 'disk' | 'files'
  readonly used: number
  readonly allowed: number
  /** Threads are among the used ones: so many that the kernel allows no more. */
  readonly withThreads?: true
}

/** The peak that was measured. */
export interface ResourceUse {
  readonly memoryMb: number
  readonly processes: number
  readonly diskMb: number
  /** Agency's own files in the workspace that it changed; they were restored. A box prevents such changes. */
  readonly violations?: string[]
}

export interface WorkspaceFile {
  readonly bytes: number
  readonly sha256: string
  /** The first `maxBytes`, as text. */
  readonly text: string
  /** The path of the file itself, if the given one leads through a link. */
  readonly linksTo?: string
}

export interface CommandLimits {
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** A text to look for in all of the output, however long it is. */
  readonly searchFor?: string | undefined
  /** Ends the command early, with everything that it started. */
  readonly signal?: AbortSignal
}

export interface CommandResult {
  /** Null with no signal either: the command was not started, or its end is not known. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  /** The beginning, up to `maxOutputBytes`. */
  readonly output: string
  /** Set if the output is longer: its whole length, and its end. */
  readonly cut?: { readonly bytes: number; readonly end: string }
  readonly outputSha256: string
  /** Whether all of the output contains the text that was looked for. */
  readonly contains?: boolean
  readonly durationMs: number
  readonly boxed: boolean
  /** The limit that it exceeded, in one line; it was killed for that. */
  readonly breach?: string
  /** Its peak resource use, if it was watched. */
  readonly used?: ResourceUse
}

/** Identifies a workspace and the attempt for which it is prepared. */
export interface WorkspaceRequest {
  /** The id of the brief to which the files belong. */
  readonly id: string
  readonly runId: string
  /**
   * Commands in it carry the attempt as AGENCY_LAUNCH_ID, like its agent: a command that outlives the daemon is found
   * by it.
   */
  readonly attemptId?: string | null
  /** Whether its processes run in the box, if there is one; `if_required`: only where no other process may start. */
  readonly box?: boolean | 'if_required'
  /**
   * It begins as a copy of this other workspace of the run, as a verifier's does: the files that its maker left, without
   * those of Agency and without anything by which a repository runs a program. Changes in it do not reach the other.
   */
  readonly copyOf?: CopiedWorkspace
  /** A workspace created for a mission, below the workspace root, instead of a directory of the brief's own. */
  readonly directory?: string | null
  /** If set, the workspace is a clone of this mirror, on this branch. */
  readonly clone?: CloneRequest | null
  /** Further paths that its processes may read, chosen by the operator. */
  readonly readable?: readonly string[]
  readonly policy?: WorkspacePolicy
}

export interface CopiedWorkspace {
  readonly id: string
  readonly directory: string | null
}

/** A file of another workspace that a brief is handed, as its check has seen it. */
export interface HandedFile {
  /** The workspace in which it was made; without a run, it is one of the same run. */
  readonly from: CopiedWorkspace & { readonly runId?: string }
  readonly path: string
  readonly sha256: string
  /** The directory below `.agency/inputs` in which it is laid, at the same path. */
  readonly folder: string
  /**
   * Accepted work since may have removed the file: that of others in the same directory, or in a repository in which
   * the file was merged. The latter needs no accepted version either.
   */
  readonly mayBeGone?: true
}

/** `refused`: why a file cannot be handed over. */
export type Laid<File extends HandedFile> =
  { readonly files: readonly (File & { readonly bytes: number })[] } | { readonly refused: string }

export interface CloneRequest {
  /** One of Agency's bare repositories; the clone shares its objects and cannot write to it. */
  readonly mirror: string
  readonly branch: string
  /** The commit from which the branch starts. */
  readonly start: string
}

/** The rights of processes in a workspace; a box enforces them, without one they are only checked afterwards. */
export interface WorkspacePolicy {
  readonly network: {
    readonly allowed: boolean
    /** Allowed hosts; empty: every host that is not blocked. */
    readonly allow: readonly string[]
    readonly block: readonly string[]
    /** Hosts that may resolve to an address of the machine's own network; by default none may. */
    readonly private?: readonly string[]
  }
  readonly limits: { readonly maxProcesses: number; readonly maxMemoryMb: number; readonly maxDiskMb: number }
}

/** Where evidence is checked: a place of its own with an empty HOME, which the agent has never seen and never sees. */
export interface CheckoutRequest {
  /** Names the directory: the id of the attempt or of the proof. */
  readonly id: string
  readonly runId: string
  /** Whether its processes run in the box, if there is one. */
  readonly box?: boolean
  readonly policy?: WorkspacePolicy
  readonly source: CheckoutSource
  /** The command that prepares a clean clone; null: found by its lockfile. */
  readonly setup?: string | null
  readonly signal?: AbortSignal
}

export type CheckoutSource =
  /** A clean clone of a commit, or of these paths of it. */
  | {
      readonly kind: 'commit'
      readonly mirror: string
      readonly branch: string
      readonly commit: string
      readonly paths?: readonly string[]
    }
  /** A copy of a workspace as its agent left it; with a commit, tracked files are as in it. */
  | { readonly kind: 'workspace'; readonly workspace: WorkspaceRequest; readonly commit: string | null }

export interface Checkout extends Workspace {
  /**
   * Prepares a clean clone for commands, once; resolves to null if it needs no setup, as a copy never does. A failed
   * setup is a result. Files are looked at before, because a setup may write some that were not delivered.
   */
  setUp(): Promise<Setup | null>
  remove(): Promise<void>
}

export interface Setup {
  readonly command: string
  readonly outcome: 'ready' | 'failed'
  /** Where the result came from: an earlier setup of the same lockfile, caches only, or the network too. */
  readonly from: 'snapshot' | 'caches' | 'network'
  /** The reason of a failure, in one line. */
  readonly detail: string
  readonly output: string
  readonly durationMs: number
}

export interface Workspaces {
  /**
   * Creates the directory if it does not exist yet; a second attempt finds the first one's files, but an empty outbox.
   */
  prepare(request: WorkspaceRequest): Promise<Workspace>
  /** Opens a workspace as its agent left it; unlike `prepare`, it keeps the outbox. Refuses one that does not exist. */
  open(request: WorkspaceRequest): Promise<Workspace>
  /**
   * Lays files of other workspaces of the run below `.agency/inputs` of a prepared one, read-only, in place of all that
   * are there. A clone gets only those that it does not have itself. If one of them is refused, none is there.
   */
  lay<File extends HandedFile>(request: WorkspaceRequest, files: readonly File[]): Promise<Laid<File>>
  /**
   * Lists the files of a copy (`copyOf`) that were changed or removed since it was made. New files do not count, and
   * neither do files that tools write by themselves: caches, installed packages, build output.
   */
  changedInCopy(request: WorkspaceRequest): Promise<string[]>
  /** Opens a file of a workspace of the run as it is now; null if it is no plain file, or the workspace is gone. */
  source(runId: string, from: CopiedWorkspace, path: string): Promise<FileSource | null>
  /** Makes a checkout. Rejects if it could not be made, which says nothing about the work. */
  checkout(request: CheckoutRequest): Promise<Checkout>
  /**
   * Frees the names of checkouts that an earlier process left behind and begins to remove them; `keep` names those in
   * use.
   */
  removeCheckouts(keep: ReadonlySet<string>): Promise<void>
  /** Removes the directory and its HOME if they exist; `before` may inspect it first. A mission's workspace stays. */
  remove(request: WorkspaceRequest, before?: (workspace: Workspace) => Promise<void>): Promise<void>
}
