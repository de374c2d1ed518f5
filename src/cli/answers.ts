import type { Method } from '../client/client.ts'
import type { CliContext } from './context.ts'

export interface Form {
  json?: true | undefined
}

/** One operation; its answer as the daemon renders it in YAML, or as JSON. */
export async function answer(
  context: CliContext,
  { json }: Form,
  method: Method,
  path: string,
  input?: object,
): Promise<number> {
  if (json) {
    const said = await context.api().call<{ warnings?: string[] }>(method, path, input)
    warn(context, said.warnings)
    context.json(said)
  } else context.text(await context.api().yaml(method, path, input))
  return 0
}

export function warn(context: CliContext, warnings: readonly string[] | undefined): void {
  for (const each of warnings ?? []) context.err(`warning: ${each}`)
}

/** A path with whatever somebody calls a thing in it: url`/orgs/${org}/tree`. */
export const url = (parts: TemplateStringsArray, ...values: (string | number)[]): string =>
  String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)))
