import type { orgTreeCommand } from '../../cli/commands/org/tree.ts'
import type { Handler } from '../../cli/declare.ts'
import { chartEndpoints } from './endpoints.ts'

/** Prints the chart as a drawing; JSON carries the seats themselves, because a program has no use for a drawing. */
export const showTree: Handler<typeof orgTreeCommand> = async (context, { org, mermaid, json }) => {
  if (json) context.json(await context.api().call(chartEndpoints.chart, { org }))
  else context.text((await context.api().call<{ text: string }>(chartEndpoints.tree, { org, mermaid })).text)
  return 0
}
