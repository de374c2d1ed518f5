import { answer, type Form } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'

export interface WhoAmIOptions extends Form {
  personaSlug?: string
  org?: string
}

/** Without a persona the daemon takes the agent that asks, and refuses where nobody but a person does. */
export const whoami = (context: CliContext, { personaSlug, org, json }: WhoAmIOptions) =>
  answer(context, { json }, 'GET', '/org/whoami', { persona: personaSlug, org })

export interface RouteOptions extends Form {
  from?: string
  to: string
  org?: string
}

export const route = (context: CliContext, { from, to, org, json }: RouteOptions) =>
  answer(context, { json }, 'GET', '/org/route', { from, to, org })
