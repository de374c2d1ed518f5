import type { Workspace } from '../../workspaces/port.ts'
import type { RuntimeEvent } from './port.ts'

export const outboxReport = '.agency/outbox/report.json'

/** A report that fills its contract to the brim still fits; anything larger is not one. */
const maxReportBytes = 2 * 1024 * 1024

/** The report that an agent laid into its outbox, if it did. What is no JSON goes on as text, for the engine to refuse. */
export async function readOutbox(workspace: Workspace): Promise<RuntimeEvent[]> {
  const file = await workspace.read(outboxReport, maxReportBytes)
  if (file === null) return []
  return [
    { kind: 'report', report: file.bytes > maxReportBytes ? `${outboxReport} is larger than 2 MB` : parsed(file.text) },
  ]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
