import { stringify } from 'yaml'

import { redact } from '../../../secrets/redact.ts'
import { toWire } from '../../../operations/wire.ts'
import { type Brief, BriefSpec } from '../../briefs/contract.ts'

/** The fields of a planned brief that people read. */
export type Shown = Pick<Brief, 'key' | 'title' | 'objective' | 'context' | 'evidence'> & {
  after: readonly string[]
  /** Of a new brief: the fields that its author chose beside these are shown too. */
  spec?: BriefSpec
}

const Document = BriefSpec.pick({
  key: true,
  title: true,
  objective: true,
  context: true,
  evidence: true,
  after: true,
})

/** The fields that an amendment can set in new briefs only. */
const Chosen = BriefSpec.omit({ key: true, title: true, objective: true, context: true, evidence: true, after: true })

/** Returns a brief as a plan document names its fields. */
export const documentOf = ({ key, title, objective, context, evidence, after, spec }: Shown): object => ({
  ...(toWire(Document, { key, title, objective, ...(context === '' ? {} : { context }), evidence, after }) as object),
  ...(spec === undefined ? {} : (toWire(Chosen, Chosen.strip().parse(spec)) as object)),
})

/** The text of a diff is for people: a longer one is cut. */
const maxCharacters = 100_000

/** Returns the changed lines of a plan, brief by brief, with "+", "-" or a space before each. */
export function diffOfPlans(
  versions: readonly [before: number, after: number],
  pairs: readonly { readonly key: string; readonly before: Shown | null; readonly after: Shown | null }[],
): string {
  const lines = [`--- plan, version ${versions[0]}`, `+++ plan, version ${versions[1]}`]
  for (const { key, before, after } of pairs) {
    lines.push(`@@ ${key} @@`)
    for (const line of diffOfLines(linesOf(before), linesOf(after))) lines.push(line)
  }
  const text = redact(lines.join('\n'))
  return text.length <= maxCharacters
    ? text
    : `${text.slice(0, maxCharacters)}\n… ${text.length - maxCharacters} more characters`
}

const linesOf = (shown: Shown | null): string[] =>
  shown === null ? [] : stringify(documentOf(shown), { lineWidth: 0 }).trimEnd().split('\n')

/** Above this number of comparisons, changed lines are shown as one block. */
const maxComparisons = 250_000

function diffOfLines(before: readonly string[], after: readonly string[]): string[] {
  if (before.length * after.length > maxComparisons)
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
  const common = commonLengths(before, after)
  const lines: string[] = []
  let [left, right] = [0, 0]
  while (left < before.length || right < after.length) {
    const [removed, added] = [before[left], after[right]]
    if (removed !== undefined && removed === added) {
      lines.push(` ${removed}`)
      left++
      right++
    } else if (
      removed !== undefined &&
      (added === undefined || at(common, left + 1, right) >= at(common, left, right + 1))
    )
      lines.push(`-${before[left++]}`)
    else lines.push(`+${after[right++]}`)
  }
  return lines
}

const at = (table: readonly (readonly number[])[], row: number, column: number): number => table[row]?.[column] ?? 0

/** Returns, for each pair of positions, how many lines the rests of both texts have in common, in order. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const table = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0))
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--) {
      const cells = table[row] as number[]
      cells[column] =
        before[row] === after[column]
          ? at(table, row + 1, column + 1) + 1
          : Math.max(at(table, row + 1, column), at(table, row, column + 1))
    }
  return table
}
