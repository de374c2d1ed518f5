import { allOperations } from '../../../../operations/all.contract.ts'
import { callOperation, refusalText } from '../../../../client/call.ts'
import { toolsOf } from '../../../../operations/tools.ts'
import { failed, type Tool } from './tool.ts'

const maxAnswerChars = 64 * 1024

/** Returns the operations of Agency that the attempt with this token may call, except the report: the loop handles it. */
export function agencyTools({ AGENCY_SOCKET: socket, AGENCY_TOKEN: token }: Readonly<Record<string, string>>): Tool[] {
  if (socket === undefined || token === undefined) return []
  return toolsOf(allOperations)
    .filter(({ name }) => name !== 'report')
    .map(({ name, description, inputSchema, inputFor, operation }) => ({
      name,
      description,
      schema: inputSchema,
      summary: (input) => JSON.stringify(input),
      run: async (input, signal) => {
        try {
          const answer = await unlessAborted(
            signal,
            callOperation({ socket, token }, operation, inputFor(asRecord(input))),
          )
          const text = JSON.stringify(answer)
          return { text: text.length <= maxAnswerChars ? text : `${text.slice(0, maxAnswerChars)}… (cut at 64 KB)` }
        } catch (error) {
          signal.throwIfAborted()
          return failed(refusalText(error))
        }
      },
    }))
}

/** A daemon that is stopping does not answer; an interrupted agent must not wait for it. */
const unlessAborted = <Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> =>
  Promise.race([
    value,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  ])

const asRecord = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {}
