/** Where an attempt's prompt and raw output are kept. */
export interface AttemptFiles {
  /** Keeps the rendered prompt and returns its hash. */
  writePrompt(attemptId: string, text: string): Promise<string>
  openOutput(attemptId: string): Promise<AttemptOutput>
  /** What is kept of its output from this byte on; null: its end. */
  readOutput(attemptId: string, after: number | null): Promise<OutputPart>
}

export interface OutputPart {
  /** Where the text begins, in bytes. */
  readonly from: number
  readonly text: string
  /** Where to read on. */
  readonly next: number
  /** There is nothing behind it yet. */
  readonly isAll: boolean
}

export interface AttemptOutput {
  append(text: string): void
  close(): Promise<void>
}
