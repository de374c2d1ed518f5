import { entryPath } from '../entries.ts'
import { isUnknown } from './command.ts'
import type { CommandResult, Workspace } from './port.ts'
import type { ProbeResult, ProbeRequest } from './probe/request.ts'
import { shellCommand } from './quote.ts'

/** Extra time for the probe beyond the server's timeout: to stop the server, and on a busy machine to start at all. */
const slackMs = 15_000

/**
 * Starts a server in the workspace and sends it a request from there: both happen in one command, so a sandbox contains
 * both and only the probe can reach the server. Surviving processes carry the attempt's launch id and are killed with
 * the command.
 */
export async function probeServer(
  workspace: Workspace,
  { signal, ...request }: ProbeRequest & { readonly signal?: AbortSignal },
): Promise<{ answer: ProbeResult | null; boxed: boolean }> {
  const command = shellCommand([process.execPath, entryPath('http-probe'), JSON.stringify(request)])
  const result = await workspace.run(`exec ${command} 2>/dev/null`, {
    timeoutMs: request.timeoutMs + slackMs,
    // A byte can become six in JSON.
    maxOutputBytes: request.maxBodyBytes * 6 + 100_000,
    ...(signal && { signal }),
  })
  return { answer: readResult(result), boxed: result.boxed }
}

/** Returns null if the probe itself could not run, which says nothing about the server. */
function readResult(result: CommandResult): ProbeResult | null {
  if (isUnknown(result)) return null
  const { output, timedOut, signal, breach } = result
  try {
    return JSON.parse(output) as ProbeResult
  } catch {
    if (breach !== undefined)
      return { outcome: 'failed', why: `the probe and its server were killed: ${breach}`, log: '' }
    if (timedOut) return { outcome: 'failed', why: 'the probe did not finish in time', log: '' }
    return signal === null ? null : { outcome: 'failed', why: `the probe was killed by ${signal}`, log: '' }
  }
}
