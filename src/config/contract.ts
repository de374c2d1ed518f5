import { z } from 'zod'

import { NotifyList } from '../adapters/notify/contract.ts'

const whole = (min: number, max: number) => z.number().int().min(min).max(max)
const minutes = z.number().positive().max(100_000).nullable()

/**
 * Everything that can be set, with what `agency config --explain` says about it. In YAML the names are snake_case;
 * `null` is off.
 */
export const Configuration = z.strictObject({
  port: whole(0, 65_535).nullable().default(null).meta({
    description: 'TCP port of API and dashboard; null: 7717, or a free one when that is taken',
    expected: 'a whole number from 0 to 65535, or null',
  }),
  databaseUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .nullable()
    .default(null)
    .meta({
      description: 'PostgreSQL to use; null: the embedded store',
      expected: 'postgres://…, or null',
      secret: true,
    }),
  slots: whole(1, 1_000).default(4).meta({
    description: 'How many agents may work at once',
    expected: 'a whole number from 1 to 1000',
  }),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').meta({
    description: 'What the daemon writes to its log',
    expected: 'debug, info, warn or error',
  }),
  idleMinutes: minutes.default(30).meta({
    description: 'An attempt silent for this long is ended; null: never',
    expected: 'a positive number, or null',
  }),
  hardMinutes: minutes.default(240).meta({
    description: 'No attempt lasts longer; null: no limit',
    expected: 'a positive number, or null',
  }),
  crashRetries: whole(0, 20).default(3).meta({
    description: 'How often a brief is launched again after a crash',
    expected: 'a whole number from 0 to 20',
  }),
  retryBudget: whole(0, 20).default(3).meta({
    description: 'How often a brief is tried again after failed evidence',
    expected: 'a whole number from 0 to 20',
  }),
  verify: z.enum(['auto', 'all', 'none']).default('auto').meta({
    description: 'What a verifier judges; auto: whatever has no evidence that a machine can check',
    expected: 'auto, all or none',
  }),
  verificationLimit: whole(0, 20).default(3).meta({
    description: 'How often a brief is tried again after a failing verdict',
    expected: 'a whole number from 0 to 20',
  }),
  acceptance: z.enum(['auto', 'operator']).default('auto').meta({
    description: 'operator: the result of every run waits for your approval',
    expected: 'auto or operator',
  }),
  onLimit: z.enum(['ask', 'fail']).default('ask').meta({
    description: 'A brief that used up its limits: ask the operator, or fail the run',
    expected: 'ask or fail',
  }),
  gateTimeoutMinutes: minutes.default(null).meta({
    description: 'A gate that nobody decides is rejected after this; null: never',
    expected: 'a positive number, or null',
  }),
  defaultRuntime: z.string().min(1).max(64).nullable().default(null).meta({
    description: 'Runtime of a run that names none; null: such a run is refused',
    expected: 'the name of a runtime, or null',
  }),
  bodyLimitMb: whole(1, 1_024).default(8).meta({
    description: 'Largest request body that the API takes, in MB',
    expected: 'a whole number from 1 to 1024',
  }),
  notify: NotifyList.default([{ adapter: 'terminal', timeoutSeconds: 10 }]).meta({
    description: 'How people are told what waits for them and what has ended',
    expected: 'a list of notifiers',
    secret: true,
  }),
})
export type Configuration = z.infer<typeof Configuration>
export type ConfigurationKey = keyof Configuration

export interface SettingMeta {
  description: string
  /** Completes "must be …". */
  expected: string
  /** May hold a password: shown without it. */
  secret: boolean
}

export const configurationKeys = Object.keys(Configuration.shape) as ConfigurationKey[]

export function settingMeta(key: ConfigurationKey): SettingMeta {
  const meta = Configuration.shape[key].meta() ?? {}
  return {
    description: meta.description ?? '',
    expected: String(meta['expected'] ?? ''),
    secret: meta['secret'] === true,
  }
}
