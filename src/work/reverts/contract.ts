import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { Run } from '../runs/contract.ts'
import { revertEndpoints } from './endpoints.ts'

export const revertOperations = {
  start: operation({
    name: 'run.revert',
    summary: 'Take a landed result back: a new run with a pull request, which waits for approval as every other',
    ...revertEndpoints.start,
    input: z.strictObject({ runId: z.string() }),
    output: Run,
    allow: ['operator'],
  }),
}
