import type { Workspace } from '../../workspaces/port.ts'
import type { RuntimeEvent } from './port.ts'

export const outboxReport = '.agency/outbox/report.json'

/** The largest report that the contract allows still fits; a larger file is not a report. */
const maxReportBytes = 2 * 1024 * 1024

/** Reads the report in the agent's outbox, if there is one. Invalid JSON is passed on as text, which the engine rejects. */
export async function readOutbox(workspace: Workspace): Promise<RuntimeEvent[]> {
  const file = await workspace.read(outboxReport, maxReportBytes)
  if (file === null) return []
  return [
    {
      kind: 'report',
      from: 'file',
      report: file.bytes > maxReportBytes ? `${outboxReport} is larger than 2 MB` : parseJson(file.text),
    },
  ]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
