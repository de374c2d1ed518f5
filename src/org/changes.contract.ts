import type { z } from 'zod'

import { type Operation, operation } from '../operations/contract.ts'

type Described<Input extends z.ZodType, Output extends z.ZodType> = Omit<Operation<Input, Output>, 'allow' | 'instead'>

/**
 * An operation that changes an organisation, a role, a seat or a persona. Agents have none of these: they propose a
 * document, and the operator or another agent on the AR Director's seat decides.
 */
export const structureChange = <Input extends z.ZodType, Output extends z.ZodType>(
  described: Described<Input, Output>,
): Operation<Input, Output> =>
  operation({
    ...described,
    allow: ['operator'],
    instead:
      'Propose it: "agency org export --org ORG", edit the document, then "agency org propose --file F --reason TEXT" (POST /api/orgs/proposals).',
  })

/** An operation that changes a text which agents are given as instructions. No document contains these texts. */
export const textChange = <Input extends z.ZodType, Output extends z.ZodType>(
  described: Described<Input, Output>,
): Operation<Input, Output> =>
  operation({
    ...described,
    allow: ['operator'],
    instead:
      'Propose it to the operator with a note that contains the new text: "agency note add TEXT --context TEXT", then "agency note escalate NOTE REASON" (POST /api/notes).',
  })
