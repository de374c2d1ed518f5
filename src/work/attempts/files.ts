/** Storage of an attempt's prompt and raw output. */
export interface AttemptFiles {
  /** Stores the rendered prompt and returns its hash. */
  writePrompt(attemptId: string, text: string): Promise<string>
  openOutput(attemptId: string): Promise<AttemptOutput>
  /** Returns the stored output from this byte on; null: the end of the output. */
  readOutput(attemptId: string, after: number | null): Promise<OutputPart>
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
  append(text: string): void
  close(): Promise<void>
}
