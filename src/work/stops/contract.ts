import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OrgReference } from '../../org/references.contract.ts'
import { stopEndpoints } from './endpoints.ts'

/** While a stop exists, nothing is launched, everywhere or in one organisation. */
export const Stop = z.object({
  scope: z.string().describe('all, or org:<id>'),
  organisationId: z.number().int().nullable(),
  reason: z.string(),
  by: z.string(),
  at: z.string(),
})
export type Stop = z.infer<typeof Stop>

/** A provider that refused a call until a time: nothing is launched on it before. */
export const ProviderHold = z.object({
  provider: z.string(),
  until: z.string(),
  reason: z.string(),
  at: z.string(),
})
export type ProviderHold = z.infer<typeof ProviderHold>

const organisation = OrgReference.optional().describe('Limit to this organisation; default: everything')

export const stopOperations = {
  list: operation({
    name: 'stop.list',
    summary: 'List stops, and providers that accept no launches, with the time until which',
    ...stopEndpoints.list,
    input: z.strictObject({}),
    output: z.object({ stops: z.array(Stop), providerHolds: z.array(ProviderHold) }),
    allow: ['operator'],
  }),
  set: operation({
    name: 'stop.set',
    summary: 'Stop launches and interrupt running agents until the stop is lifted; no work is lost, no limit counts it',
    ...stopEndpoints.set,
    input: z.strictObject({ organisation, reason: z.string().trim().max(500).default('') }),
    output: Stop,
    allow: ['operator'],
  }),
  clear: operation({
    name: 'stop.clear',
    summary: 'Lift a stop; without an organisation, also retry held providers',
    ...stopEndpoints.clear,
    input: z.strictObject({ organisation }),
    output: z.object({ lifted: z.array(Stop), released: z.array(ProviderHold) }),
    allow: ['operator'],
  }),
}
