/** The directory of a brief. Its files are an agent's: every path is resolved, links and all, before it is believed. */
export interface Workspace {
  /** Absolute; for an in-memory workspace a name that no process could open. */
  readonly path: string
  /** A regular file inside the workspace, or null: missing, a directory, a link that leads outside, or too large to look at. */
  read(path: string, maxBytes: number): Promise<WorkspaceFile | null>
  write(path: string, text: string): Promise<void>
  /** Runs a shell command in it; output is cut at `maxOutputBytes` but hashed whole. */
  run(command: string, limits: { timeoutMs: number; maxOutputBytes: number }): Promise<CommandResult>
}

export interface WorkspaceFile {
  readonly bytes: number
  readonly sha256: string
  /** At most `maxBytes` from the beginning, as text. */
  readonly text: string
}

export interface CommandResult {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly output: string
  readonly outputSha256: string
  readonly durationMs: number
  readonly boxed: boolean
}

export interface Workspaces {
  /**
   * Makes the brief's directory if it is not there yet; a second attempt finds the first one's files, but an empty outbox.
   * Commands that run in it carry the attempt as AGENCY_LAUNCH_ID, like its agent: one that outlives us is found by it.
   */
  prepare(brief: { id: string; runId: string; attemptId?: string | null }): Promise<Workspace>
}
