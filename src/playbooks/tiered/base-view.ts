import type { PartChange, View } from '../contract.ts'

/** Returns the view with these changes applied, for the decisions that follow them. */
export function withChanges(view: View, changes: readonly PartChange[]): View {
  return changes.reduce(withChange, view)
}

function withChange(view: View, { key, data, status }: PartChange): View {
  const apply = <Row extends { key: string; data: Record<string, unknown> }>(part: Row): Row =>
    part.key === key
      ? { ...part, ...(data === undefined ? {} : { data: { ...data } }), ...(status === undefined ? {} : { status }) }
      : part
  const found = view.found.parts[key]
  return {
    ...view,
    parts: view.parts.map(apply),
    ...(found === undefined ? {} : { found: { ...view.found, parts: { ...view.found.parts, [key]: apply(found) } } }),
  }
}
