import type { Evidence } from '../../src/work/evidence/contract.ts'
import { randomKey } from '../client.ts'

/** A proof as it was typed, or one that the form cannot edit and keeps as it is. */
export type Proof =
  | { readonly id: string; readonly kind: 'command' | 'file'; readonly text: string; readonly from?: string }
  | { readonly id: string; readonly kind: 'kept'; readonly evidence: Evidence }

export const commandProof = (text: string, from?: string): Proof => ({
  id: randomKey(),
  kind: 'command',
  text,
  ...(from === undefined ? {} : { from }),
})

export const fileProof = (text: string): Proof => ({ id: randomKey(), kind: 'file', text })

export const isEditable = (proof: Proof): proof is Extract<Proof, { text: string }> => proof.kind !== 'kept'

/** Only evidence without further conditions can be edited as one line of text. */
export function proofOf(evidence: Evidence): Proof {
  const { kind } = evidence
  if (kind === 'command') {
    const { run, expectExit = 0, expectOutput, timeoutSeconds = 120 } = evidence
    if (expectExit === 0 && expectOutput === undefined && timeoutSeconds === 120) return commandProof(run)
  }
  if (kind === 'file') {
    const { path, contains, minBytes = 1, sha256 } = evidence
    if (contains === undefined && minBytes === 1 && sha256 === undefined) return fileProof(path)
  }
  return { id: randomKey(), kind: 'kept', evidence }
}
