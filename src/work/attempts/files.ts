import type { Attempt } from './contract.ts'

/** Storage of an attempt's prompts and raw output. */
export interface AttemptFiles {
  /** Stores what an agent is sent, before it is sent, and returns the hashes. */
  writePrompts(attemptId: string, prompts: { prompt: string; systemPrompt: string | null }): Promise<PromptHashes>
  /** Returns what is stored now; null: there is no such file. */
  readPrompts(attemptId: string): Promise<StoredPrompts>
  openOutput(attemptId: string): Promise<AttemptOutput>
  /** Returns the stored output from this byte on; null: the end of the output. */
  readOutput(attemptId: string, after: number | null): Promise<OutputPart>
}

export type PromptHashes = Pick<Attempt, 'promptSha256' | 'systemPromptSha256'>

export interface StoredPrompts {
  readonly prompt: StoredPrompt | null
  readonly systemPrompt: StoredPrompt | null
}

export interface StoredPrompt {
  readonly text: string
  /** The hash of the file as it is now. */
  readonly sha256: string
}

export interface OutputPart {
  /** The offset of the text in bytes. */
  readonly from: number
  readonly text: string
  /** The offset of the next part. */
  readonly next: number
  /** No further output is stored yet. */
  readonly isAll: boolean
}

export interface AttemptOutput {
  /** Adds whole lines; those of standard error are marked. */
  append(text: string, from?: 'stderr'): void
  close(): Promise<void>
}
