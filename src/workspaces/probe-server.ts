import { entryPath } from '../entries.ts'
import type { CommandResult, Workspace } from './port.ts'
import type { ProbeResult, ProbeRequest } from './probe/request.ts'
import { shellCommand } from './quote.ts'

/** How much longer than the server the probe may take: to end it, and on a machine that is busy to begin at all. */
const slackMs = 15_000

/**
 * Starts a server in the workspace and asks it from there: both happen in one command, so a sandbox holds both and the
 * server sees nobody but the probe. Whatever survives it carries the attempt's launch id and is ended with the command.
 */
export async function probeServer(
  workspace: Workspace,
  question: ProbeRequest,
): Promise<{ answer: ProbeResult; boxed: boolean }> {
  const command = shellCommand([process.execPath, entryPath('http-probe'), JSON.stringify(question)])
  const result = await workspace.run(`exec ${command} 2>/dev/null`, {
    timeoutMs: question.timeoutMs + slackMs,
    // As JSON a byte can become six.
    maxOutputBytes: question.maxBodyBytes * 6 + 100_000,
  })
  return { answer: readAnswer(result), boxed: result.boxed }
}

function readAnswer({ output, timedOut }: CommandResult): ProbeResult {
  try {
    return JSON.parse(output) as ProbeResult
  } catch {
    return { outcome: 'failed', why: timedOut ? 'it could not be asked in time' : 'it could not be asked', log: '' }
  }
}
