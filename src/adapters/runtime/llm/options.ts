import { z } from 'zod'

import { refusal } from '../../../kernel/errors.ts'
import { fromWire, wirePath } from '../../../operations/wire.ts'
import { type EnvironmentSource, isNotSetIn } from '../environment.ts'
import { isUsable, type Provider } from './providers.ts'

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const Options = z.strictObject({
  provider: z.string({ error: 'is missing' }).min(1).max(64),
  model: z.string({ error: 'is missing' }).regex(/^[A-Za-z0-9][\w.:@/+[\]-]{0,199}$/, {
    error: 'is not the name of a model',
  }),
  maxSteps: z.number().int().min(1).max(1_000).default(50),
  maxOutputTokens: z.number().int().min(1).max(10_000_000).optional(),
  effort: z.enum(efforts).optional(),
})
export type LlmOptions = z.infer<typeof Options>

/** Parses the options, whose names are in snake_case like all external input. */
export function optionsOf(options: Record<string, unknown>, providers: ReadonlyMap<string, Provider>): LlmOptions {
  const parsed = Options.safeParse(fromWire(Options, options))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = wirePath(Options, issue?.path ?? [])
  throw refusal('invalid_input', `the llm runtime: ${path === '' ? '' : `${path}: `}${issue?.message}`, {
    hint: `Give --option provider=<${[...providers.keys()].join('|')}> --option model=<name>, and optionally max_steps, max_output_tokens and effort (${efforts.join(', ')}).`,
  })
}

/** Returns the provider that the options name; throws if it is unknown or has no key. */
export function providerFor(
  options: LlmOptions,
  providers: ReadonlyMap<string, Provider>,
  source: EnvironmentSource,
): Provider {
  const provider = providers.get(options.provider)
  if (provider === undefined)
    throw refusal('invalid_input', `the llm runtime: unknown provider "${options.provider}"`, {
      hint: `Available: ${[...providers.keys()].join(', ')}. Add others under llm.providers in config.yaml: see "agency config --explain".`,
    })
  if (provider.keyName !== null && !isUsable(provider))
    throw refusal(
      'invalid_input',
      `the llm runtime: "${provider.name}" has no key: ${provider.keyName} ${isNotSetIn(source)}`,
      { hint: `agency down; ${provider.keyName}=… agency up`, data: { missingKey: provider.keyName } },
    )
  return provider
}
