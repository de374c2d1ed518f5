import { printAnswer } from '../../cli/answers.ts'
import type { orgRouteCommand } from '../../cli/commands/org/route.ts'
import type { orgWhoamiCommand } from '../../cli/commands/org/whoami.ts'
import type { Handler } from '../../cli/declare.ts'
import { routingEndpoints } from './endpoints.ts'

/** Without a persona the daemon takes the agent that asks, and refuses where a person asks. */
export const whoami: Handler<typeof orgWhoamiCommand> = (context, { personaSlug, org, json }) =>
  printAnswer(context, { json }, routingEndpoints.whoami, { persona: personaSlug, org })

export const route: Handler<typeof orgRouteCommand> = (context, { from, to, org, json }) =>
  printAnswer(context, { json }, routingEndpoints.route, { from, to, org })
