import type { Endpoint } from '../operations/endpoint.ts'
import type { CliContext } from './context.ts'

export interface OutputForm {
  json?: true | undefined
}

/** Calls one operation and prints its answer as JSON, or as YAML rendered by the daemon. */
export async function printAnswer(
  context: CliContext,
  { json }: OutputForm,
  endpoint: Endpoint,
  input: object = {},
): Promise<number> {
  if (json) {
    const answer = await context.api().call<{ warnings?: string[] }>(endpoint, input)
    printWarnings(context, answer.warnings)
    context.json(answer)
  } else context.text(await context.api().yaml(endpoint, input))
  return 0
}

export function printWarnings(context: CliContext, warnings: readonly string[] | undefined): void {
  for (const each of warnings ?? []) context.err(`warning: ${each}`)
}
