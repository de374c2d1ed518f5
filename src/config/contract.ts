import { z } from 'zod'

import { NotifyList } from '../adapters/notify/contract.ts'
import { ClaudeSettings } from '../adapters/runtime/claude-code/contract.ts'
import { HostChecks } from '../work/repository-settings/contract.ts'
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
 * All settings, with the descriptions that `agency config --explain` prints. In YAML the names are snake_case;
 * `null` switches a setting off.
 */
export const Configuration = z.strictObject({
  port: whole(0, 65_535).nullable().default(null).meta({
    description: 'TCP port of the API and dashboard; null: 7717, or a free port if that is taken',
    expected: 'a whole number from 0 to 65535, or null',
  }),
  databaseUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//)
    .nullable()
    .default(null)
    .meta({
      description: 'URL of a PostgreSQL database; null: the embedded store',
      expected: 'postgres://…, or null',
      secret: true,
    }),
  slots: whole(1, 1_000).default(4).meta({
    description: 'Maximum number of agents that work at once',
    expected: 'a whole number from 1 to 1000',
  }),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').meta({
    description: 'Lowest level of the lines in the daemon’s log',
    expected: 'debug, info, warn or error',
  }),
  idleMinutes: minutes.default(30).meta({
    description: 'An attempt without output for this long is ended; null: no limit',
    expected: 'a positive number, or null',
  }),
  hardMinutes: minutes.default(240).meta({
    description: 'Maximum duration of an attempt; null: no limit',
    expected: 'a positive number, or null',
  }),
  crashRetries: whole(0, 20).default(3).meta({
    description: 'Maximum number of relaunches of a brief after crashes',
    expected: 'a whole number from 0 to 20',
  }),
  retryBudget: whole(0, 20).default(3).meta({
    description: 'Maximum number of retries of a brief after failed evidence',
    expected: 'a whole number from 0 to 20',
  }),
  verify: z.enum(['auto', 'all', 'none']).default('auto').meta({
    description: 'Briefs that a verifier judges; auto: those without machine-checkable evidence',
    expected: 'auto, all or none',
  }),
  verificationLimit: whole(0, 20).default(3).meta({
    description: 'Maximum number of retries of a brief after failing verdicts',
    expected: 'a whole number from 0 to 20',
  }),
  acceptance: z.enum(['auto', 'operator']).default('auto').meta({
    description: 'operator: the result of every run waits for your approval',
    expected: 'auto or operator',
  }),
  onLimit: z.enum(['ask', 'fail']).default('ask').meta({
    description: 'When a brief has used up its limits: ask the operator, or fail the run',
    expected: 'ask or fail',
  }),
  gateTimeoutMinutes: minutes.default(null).meta({
    description: 'A gate without a decision is rejected after this time; null: never',
    expected: 'a positive number, or null',
  }),
  undoSeconds: whole(0, 60).default(10).meta({
    description: 'A decision made in the dashboard takes effect after so many seconds, and can be undone until then',
    expected: 'a whole number from 0 to 60',
  }),
  questionReminderMinutes: minutes.default(60).meta({
    description: 'You are reminded once of a question that you have not answered for this long; null: never',
    expected: 'a positive number, or null',
  }),
  defaultRuntime: z.string().min(1).max(64).nullable().default(null).meta({
    description: 'Runtime of runs that name none; null: an installed coding agent',
    expected: 'the name of a runtime, or null',
  }),
  claude: ClaudeSettings.prefault({}).meta({
    description: 'Claude Code: the path of its program, and the environment variables of the daemon that it gets',
    expected: 'binary (a path, or null) and environment (a list of names)',
  }),
  llm: LlmSettings.prefault({}).meta({
    description: 'Model providers in addition to anthropic, openai and ollama, or other addresses of these',
    expected: 'providers: names, each with kind, base_url and api_key_env',
  }),
  box: z.enum(['auto', 'off', 'required']).default('auto').meta({
    description: 'auto: agents run in a box if possible; off: never; required: no agent starts without a box',
    expected: 'auto, off or required',
  }),
  boxReadable: z.array(AbsolutePath).max(100).default([]).meta({
    description: 'Further files and folders of this machine that every box may read',
    expected: 'a list of absolute paths',
  }),
  allowUnsandboxedYolo: z.boolean().default(false).meta({
    description: 'Whether agents may run every tool without asking if there is no box',
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
        'Hosts that boxed agents may reach: only those in allow if it is not empty, none in block; private: hosts of your own network',
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
      description:
        'Resource limits of one agent; null: 10 processes, 2048 MB, 5120 MB for programs, more for coding agents',
      expected: 'max_processes, max_memory_mb and max_disk_mb',
    }),
  setup: z
    .strictObject({
      files: z.array(AbsolutePath).max(20).default([]),
      minutes: z.number().positive().max(1_440).default(10),
      maxDiskMb: whole(0, 100_000_000).default(10_240),
    })
    .prefault({})
    .meta({
      description:
        'Setup of fresh checkouts: your files that it gets, such as ~/.npmrc; its time; the space of all caches and results',
      expected: 'files (a list of absolute paths), minutes and max_disk_mb',
    }),
  checks: z
    .strictObject({
      host: z
        .array(z.strictObject({ repository: AbsolutePath, ...HostChecks.shape }))
        .max(100)
        .default([])
        .refine((entries) => new Set(entries.map(({ repository }) => repository)).size === entries.length, {
          error: 'a repository is listed twice',
        }),
    })
    .prefault({})
    .meta({
      description:
        'host: repositories whose evidence is checked on this machine outside any box, each with the commands that may run so',
      expected: 'host: a list of {repository, commands, setup}',
    }),
  bodyLimitMb: whole(1, 1_024).default(8).meta({
    description: 'Maximum size of a request body of the API, in MB',
    expected: 'a whole number from 1 to 1024',
  }),
  notify: NotifyList.default([{ adapter: 'terminal', timeoutSeconds: 10 }]).meta({
    description: 'Notifiers that inform people of pending decisions and ended runs',
    expected: 'a list of notifiers',
    secret: true,
  }),
})
export type Configuration = z.infer<typeof Configuration>
export type ConfigurationKey = keyof Configuration

export interface SettingMeta {
  description: string
  /** Completes the message "must be …". */
  expected: string
  /** The value may contain a password and is shown without it. */
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
