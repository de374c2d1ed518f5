import type { Endpoint } from '../../operations/endpoint.ts'
import { allOperations } from '../../operations/all.contract.ts'
import { fromWire, toWire } from '../../operations/wire.ts'

/**
 * Returns an answer of a daemon of another version with all fields of its operation in this version, where those that
 * are missing have a default; null: a field without one is missing, or has another form.
 */
export function completeAnswer({ method, path }: Endpoint, answer: unknown): { answer: unknown } | null {
  const operation = allOperations.find((each) => each.method === method && each.path === path)
  if (operation === undefined) return null
  const { success, data } = operation.output.safeParse(fromWire(operation.output, answer))
  return success ? { answer: toWire(operation.output, data) } : null
}
