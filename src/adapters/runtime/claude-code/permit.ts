import { text } from 'node:stream/consumers'

import { isRecord, ruleOf } from './rule.ts'

/**
 * Called by Claude Code about each operation that its rules do not allow; answers only for those that the operator has
 * allowed, by their exact names. No answer means denied.
 */
const request: unknown = JSON.parse(await text(process.stdin))
const allowed: unknown = JSON.parse(process.env['AGENCY_ALLOWED'] ?? '[]')
if (
  isRecord(request) &&
  Array.isArray(allowed) &&
  allowed.includes(ruleOf(String(request['tool_name']), request['tool_input']))
)
  process.stdout.write(
    JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } }),
  )
