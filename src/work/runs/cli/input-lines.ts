import { plain } from '../../../cli/terminal.ts'
import type { Wire } from '../../../cli/wire.ts'
import { counted } from '../../../kernel/amounts.ts'
import type { InputSeen } from '../../attempts/contract.ts'

const maxInputs = 10

/** Names the files of other briefs that an attempt was handed, each with the beginning of its hash. */
export function inputLines(seen: Wire<InputSeen>[]): string[] {
  const more = seen.length - maxInputs
  return [
    ...seen
      .slice(0, maxInputs)
      .map(({ key, attempt, path, sha256 }) =>
        plain(`input ${key}/${path}, attempt ${attempt}, ${sha256.slice(0, 12)}`),
      ),
    ...(more > 0 ? [counted(more, 'more input')] : []),
  ]
}
