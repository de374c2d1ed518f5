import { z } from 'zod'

import { operation } from '../operations/contract.ts'
import { ProviderHold, Stop } from '../work/stops/contract.ts'
import { daemonEndpoints } from './endpoints.ts'

export const DaemonStatus = z.object({
  pid: z.number().int(),
  version: z.string(),
  home: z.string(),
  command: z.string().describe('The words that start this very program in a shell'),
  store: z.object({ kind: z.enum(['sqlite', 'postgres']), place: z.string() }),
  address: z.string().describe('The address of the API'),
  dashboard: z.string().describe('The address of the dashboard, with the host name of this home'),
  lostPort: z
    .number()
    .int()
    .nullable()
    .default(null)
    .describe('The usual port of this home while another program has it; null: the daemon has its usual port'),
  socket: z.string(),
  startedAt: z.string(),
  box: z.string().describe('The sandbox in which agents and checks run'),
  undoSeconds: z.number().int().describe('Seconds for which a decision made in the dashboard can be undone'),
  running: z.object({
    runs: z.number().int(),
    agents: z.number().int(),
    slots: z.number().int(),
    checks: z.number().int().describe('Attempts whose evidence is checked now'),
  }),
  waitingForYou: z
    .number()
    .int()
    .describe('What the operator has to decide: gates, paused runs, questions and proposals, as in the inbox'),
  waiting: z
    .array(z.object({ runId: z.string(), waitsFor: z.string() }))
    .describe('The newest open runs of which nothing is at work, each with the reason; at most 5'),
  unpricedCalls: z.number().int().describe('Model calls without a known price, of open runs'),
  deadJobs: z.number().int().describe('Jobs that were given up after their last try'),
  stops: z
    .array(
      Stop.extend({
        organisation: z.string().nullable().describe('Slug of the stopped organisation; null: all organisations'),
      }),
    )
    .describe('Active stops: nothing is launched where one applies'),
  providerHolds: z.array(ProviderHold).describe('Providers for which nothing is launched for now'),
})
export type DaemonStatus = z.infer<typeof DaemonStatus>

export const WhoAmI = z.object({
  kind: z.enum(['operator', 'agent']),
  personaId: z.number().int(),
  agentId: z.number().int().nullable(),
  runId: z.string().nullable(),
  briefId: z.string().nullable(),
  attemptId: z.string().nullable(),
})

export const SignInLink = z.object({
  url: z.string(),
  numericUrl: z.string().optional().describe('The same link for browsers that do not know the names below localhost'),
  expiresAt: z.string(),
  file: z
    .string()
    .nullable()
    .default(null)
    .describe('A file that leads a browser to the link, removed with it; null: none'),
})
export type SignInLink = z.infer<typeof SignInLink>

export const daemonOperations = {
  status: operation({
    name: 'daemon.status',
    summary: 'Show the daemon’s process, store, address, running work, stops and provider holds',
    ...daemonEndpoints.status,
    input: z.strictObject({}),
    output: DaemonStatus,
    allow: ['operator'],
  }),
  whoami: operation({
    name: 'daemon.whoami',
    summary: 'Show the identity of your credentials',
    ...daemonEndpoints.whoami,
    input: z.strictObject({}),
    output: WhoAmI,
    allow: ['operator', 'agent'],
  }),
  stop: operation({
    name: 'daemon.stop',
    summary: 'Stop the daemon; running agents are interrupted, and their briefs resume at the next start',
    ...daemonEndpoints.stop,
    input: z.strictObject({}),
    output: z.object({ stopping: z.literal(true) }),
    allow: ['operator'],
  }),
  link: operation({
    name: 'daemon.link',
    summary: 'Create a link that signs one browser in, once, within ten minutes',
    ...daemonEndpoints.link,
    input: z.strictObject({
      path: z
        .string()
        .regex(/^\/(?!\/)[A-Za-z0-9/_-]*$/)
        .default('/'),
      file: z.boolean().default(false).describe('Also write a file that leads a browser to the link'),
    }),
    output: SignInLink,
    allow: ['operator'],
  }),
}
