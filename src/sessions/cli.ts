import type { sessionsListCommand } from '../cli/commands/sessions/list.ts'
import type { sessionsRevokeCommand } from '../cli/commands/sessions/revoke.ts'
import type { Handler } from '../cli/declare.ts'
import { ago, bold, faint, fit, plain } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import { counted } from '../kernel/amounts.ts'
import type { SessionRecord } from './contract.ts'
import { sessionEndpoints } from './endpoints.ts'

type SessionLine = Wire<SessionRecord>

export const listSessions: Handler<typeof sessionsListCommand> = async (context, { json }) => {
  const answer = await context.api().call<{ sessions: SessionLine[] }>(sessionEndpoints.list)
  if (json) {
    context.json(answer)
    return 0
  }
  if (answer.sessions.length === 0) context.out('no browser is signed in')
  for (const { id, user_agent, created_at, used_at } of answer.sessions) {
    const times = `last used ${ago(used_at, context.nowMs())}, signed in ${ago(created_at, context.nowMs())}`
    context.out(`${bold(context, id)}  ${times}`)
    context.out(faint(context, fit(`  ${plain(user_agent)}`, context.columns)))
  }
  return 0
}

export const revokeSessions: Handler<typeof sessionsRevokeCommand> = async (context, session, { json }) => {
  const answer = await (session === undefined
    ? context.api().call<{ ended: number }>(sessionEndpoints.revokeAll)
    : context.api().call<{ ended: number }>(sessionEndpoints.revoke, { session_id: session }))
  if (json) context.json(answer)
  else context.out(`${counted(answer.ended, 'browser')} signed out`)
  return 0
}
