import { createHash } from 'node:crypto'

/** The variable by which processes of agents are found. */
const plainVariable = 'AGENCY_LAUNCH_ID'
/**
 * The variable by which processes of checks are found. Code that is checked must not learn from its environment that a
 * check runs it: systemd gives such a variable, with a value of the same kind, to every service.
 */
const hiddenVariable = 'INVOCATION_ID'

export const launchIdVariables = [plainVariable, hiddenVariable] as const

/** Returns the variable that processes of this launch carry. */
export const launchEnvironment = (launchId: string, { isHidden = false } = {}): Record<string, string> =>
  isHidden ? { [hiddenVariable]: hide(launchId) } : { [plainVariable]: launchId }

/** Returns the launch id in an environment; null: it has none. */
export function launchIdIn(environment: Readonly<Record<string, string | undefined>>): string | null {
  const hidden = environment[hiddenVariable]
  return environment[plainVariable] ?? (hidden === undefined ? null : reveal(hidden))
}

/** Returns the launch id in an environment as Linux shows that of a process. */
export const launchIdInBlock = (block: string): string | null =>
  launchIdIn(
    Object.fromEntries(
      launchIdVariables.flatMap((name) => {
        const value = new RegExp(`(?:^|\\0)${name}=([^\\0]+)`).exec(block)?.[1]
        return value === undefined ? [] : [[name, value]]
      }),
    ),
  )

const markLength = 4

/** Hides the id from a look, not from code that knows this file; the mark tells it from an id of systemd. */
export function hide(launchId: string): string {
  const bytes = Buffer.from(launchId)
  return scramble(Buffer.concat([markOf(bytes), bytes])).toString('hex')
}

/** Returns the id that was hidden; null: the text is none. */
export function reveal(text: string): string | null {
  const bytes = scramble(Buffer.from(text, 'hex'))
  const id = bytes.subarray(markLength)
  return id.length > 0 && markOf(id).equals(bytes.subarray(0, markLength)) ? id.toString() : null
}

const digestOf = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()

const markOf = (bytes: Buffer): Buffer => digestOf(bytes).subarray(0, markLength)

const stream = digestOf('launch')

const scramble = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, at) => byte ^ (stream[at % stream.length] as number)))
