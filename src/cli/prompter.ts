import { createInterface, type Interface } from 'node:readline'

/** Asks questions on the last line of the terminal while a log goes on above it. */
export interface Prompter {
  /** Calls a function that writes a line, so that the line stands above the open question. */
  above(write: () => void): void
  /** Returns null if there will be no answer: the question is withdrawn, or the input has ended. */
  ask(question: string, withdrawn: AbortSignal): Promise<string | null>
}

interface Streams {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  /** Called on Ctrl-C, which the open question would otherwise swallow. */
  onInterrupt(): void
}

const emptyLine = '\r\x1b[K'

/** The input is held only while a question is open, so that the command can end at any other time. */
export function createPrompter({ input, output, onInterrupt }: Streams): Prompter {
  let open: Interface | null = null
  return {
    above(write) {
      if (open !== null) output.write(emptyLine)
      write()
      open?.prompt(true)
    },
    ask(question, withdrawn) {
      if (withdrawn.aborted) return Promise.resolve(null)
      const asked = createInterface({ input, output, terminal: true, historySize: 0 })
      open = asked
      return new Promise((resolve) => {
        const end = (answer: string | null): void => {
          open = null
          withdrawn.removeEventListener('abort', withdraw)
          asked.off('close', onClose)
          asked.close()
          resolve(answer)
        }
        const onClose = (): void => end(null)
        const withdraw = (): void => {
          output.write(emptyLine)
          end(null)
        }
        withdrawn.addEventListener('abort', withdraw, { once: true })
        asked.once('line', (line) => end(line.trim()))
        asked.once('close', onClose)
        asked.once('SIGINT', () => {
          withdraw()
          onInterrupt()
        })
        asked.setPrompt(question)
        asked.prompt()
      })
    },
  }
}
