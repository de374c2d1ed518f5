import { type Form, url } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'

export interface TreeOptions extends Form {
  org: string
  mermaid?: true
}

/** As JSON, the seats themselves: whoever wants those has no use for a drawing. */
export async function showTree(context: CliContext, { org, mermaid, json }: TreeOptions): Promise<number> {
  if (json) context.json(await context.api().get(url`/orgs/${org}/chart`))
  else context.text((await context.api().get<{ text: string }>(url`/orgs/${org}/tree`, { mermaid })).text)
  return 0
}
