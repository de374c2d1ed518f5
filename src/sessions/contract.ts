import { z } from 'zod'

import { operation } from '../operations/contract.ts'
import { sessionEndpoints } from './endpoints.ts'

/** The header with the second secret of a browser, which only the pages of the origin that signed in can read. */
export const pageHeader = 'agency-page'

/** A browser that is signed in. */
export const SessionRecord = z.object({
  id: z.string(),
  userAgent: z.string().describe('The name that the browser gave itself when it signed in'),
  createdAt: z.string(),
  usedAt: z.string().describe('The time of its last request, to the minute'),
  expiresAt: z.string().describe('The time at which it ends if it is not used until then'),
  isCurrent: z.boolean().describe('True for the session of this request'),
})
export type SessionRecord = z.infer<typeof SessionRecord>

const Ended = z.object({ ended: z.number().int().describe('The number of sessions that were ended') })

export const sessionOperations = {
  list: operation({
    name: 'session.list',
    summary: 'List the browsers that are signed in, last used first',
    ...sessionEndpoints.list,
    input: z.strictObject({}),
    output: z.object({ sessions: z.array(SessionRecord) }),
    allow: ['operator'],
  }),
  revoke: operation({
    name: 'session.revoke',
    summary: 'Sign a browser out; its open streams end',
    ...sessionEndpoints.revoke,
    input: z.strictObject({ sessionId: z.string().min(1).max(64) }),
    output: Ended,
    allow: ['operator'],
  }),
  revokeAll: operation({
    name: 'session.revoke_all',
    summary: 'Sign every browser out; their open streams end',
    ...sessionEndpoints.revokeAll,
    input: z.strictObject({}),
    output: Ended,
    allow: ['operator'],
  }),
  signOut: operation({
    name: 'session.sign_out',
    summary: 'Sign this browser out',
    ...sessionEndpoints.signOut,
    input: z.strictObject({}),
    output: Ended,
    allow: ['operator'],
  }),
}
