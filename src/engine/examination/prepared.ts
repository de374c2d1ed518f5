import { shorten } from '../../kernel/text.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import type { Finding } from '../../work/evidence/record.ts'
import { endOf, nameOf } from './base-witnesses.ts'

/** Describes evidence that holds only after other evidence: code of the work ran there and may have prepared the place. */
export const oddOrder = (findings: readonly Finding[]): Odd[] =>
  findings.flatMap(({ evidence, passed, detail, alone }) =>
    passed && alone !== undefined
      ? [{ kind: 'prepared', path: null, text: shorten(orderText(nameOf(evidence), detail, alone), 600) }]
      : [],
  )

const orderText = (name: string, detail: string, alone: NonNullable<Finding['alone']>): string =>
  [`${name}: ${detail}; alone: ${alone.detail}`, endOf(alone)].filter((part) => part !== '').join(': ')
