import { z } from 'zod'

import { NotifyList } from '../adapters/notify/contract.ts'
import { ClaudeSettings } from '../adapters/runtime/claude-code/contract.ts'
import { LlmSettings } from '../adapters/runtime/llm/contract.ts'

const whole = (min: number, max: number) => z.number().int().min(min).max(max)
const AbsolutePath = z.string().startsWith('/', 'must be an absolute path').max(4_096)
const HostRule = z
  .string()
  .regex(
    /^(\*|(\*\.)?[a-z0-9]([a-z0-9.:-]*[a-z0-9])?|\[?[0-9a-f:]+\]?)$/i,
    'is not a host: example.org, *.example.org or an address',
  )
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
    description: 'Runtime of a run that names none; null: a coding agent that is installed',
    expected: 'the name of a runtime, or null',
  }),
  claude: ClaudeSettings.prefault({}).meta({
    description: 'Claude Code: where its program is, and which names of the daemon’s environment it gets',
    expected: 'binary (a path, or null) and environment (a list of names)',
  }),
  llm: LlmSettings.prefault({}).meta({
    description: 'Providers of models beside anthropic, openai and ollama, or these elsewhere',
    expected: 'providers: a name each, with kind, base_url and api_key_env',
  }),
  box: z.enum(['auto', 'off', 'required']).default('auto').meta({
    description: 'auto: agents are boxed where that is possible; off: never; required: without a box nothing starts',
    expected: 'auto, off or required',
  }),
  boxReadable: z.array(AbsolutePath).max(100).default([]).meta({
    description: 'Further files and folders of this machine that every box may read',
    expected: 'a list of absolute paths',
  }),
  allowUnsandboxedYolo: z.boolean().default(false).meta({
    description: 'Whether agents may do everything unasked where there is no box',
    expected: 'true or false',
  }),
  network: z
    .strictObject({
      allowed: z.boolean().default(true),
      allow: z.array(HostRule).max(1_000).default([]),
      block: z.array(HostRule).max(1_000).default([]),
      private: z.array(HostRule).max(100).default([]),
    })
    .prefault({})
    .meta({
      description:
        'Whom boxed agents may reach: only those of allow if it names any, none of block; private: hosts of your own network',
      expected: 'allowed, allow, block and private',
    }),
  limits: z
    .strictObject({
      maxProcesses: whole(1, 100_000).nullable().default(null),
      maxMemoryMb: whole(16, 10_000_000).nullable().default(null),
      maxDiskMb: whole(1, 100_000_000).nullable().default(null),
    })
    .prefault({})
    .meta({
      description: 'What one agent may use; null: 10 processes, 2048 MB, 5120 MB for programs, more for coding agents',
      expected: 'max_processes, max_memory_mb and max_disk_mb',
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
