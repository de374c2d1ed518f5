/** One message of a `text/event-stream`. */
export interface StreamMessage {
  id: string | null
  event: string
  data: string
}

/** Puts a stream's text back into messages, wherever it is cut; comments (keep-alives) are dropped. */
export function createStreamReader(onMessage: (message: StreamMessage) => void): (part: Uint8Array) => void {
  const decoder = new TextDecoder()
  let rest = ''
  let id: string | null = null
  let event = 'message'
  let data: string[] = []

  const field = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onMessage({ id, event, data: data.join('\n') })
      event = 'message'
      data = []
      return
    }
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'id') id = value
    else if (name === 'event') event = value
    else if (name === 'data') data.push(value)
  }

  return (part) => {
    rest += decoder.decode(part, { stream: true })
    const lines = rest.split(/\r\n|\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) field(line)
  }
}
