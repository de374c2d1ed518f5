import { text } from 'node:stream/consumers'

import { isRecord, ruleOf } from './rule.ts'

/**
 * Asked by Claude Code about each operation that its rules do not allow; answers only for those that the operator has
 * allowed, by their exact names. Silence is a no.
 */
const asked: unknown = JSON.parse(await text(process.stdin))
const allowed: unknown = JSON.parse(process.env['AGENCY_ALLOWED'] ?? '[]')
if (
  isRecord(asked) &&
  Array.isArray(allowed) &&
  allowed.includes(ruleOf(String(asked['tool_name']), asked['tool_input']))
)
  process.stdout.write(
    JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } }),
  )
